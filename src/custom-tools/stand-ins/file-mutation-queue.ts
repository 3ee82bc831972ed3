/** Serialises changes of a file, in the order of the calls; shared with our own tools that edit files. */
import { realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { inTurn } from "../../io/file-turns.ts"

/** Synchronous, so that two calls are queued in the order in which they were made. */
const realPathOf = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    // A missing file is located by its folder.
    const folder = dirname(path)
    return folder === path ? path : join(realPathOf(folder), basename(path))
  }
}

/** Runs `work` while no other call changes the file, under any of its paths. `work` must not call this for the same file. */
export const withFileMutationQueue = <T>(path: string, work: () => Promise<T> | T): Promise<T> =>
  inTurn(realPathOf(resolve(path)), async () => work())
