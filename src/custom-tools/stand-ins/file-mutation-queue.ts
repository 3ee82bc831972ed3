/** One change of a file at a time, in the order of the calls; shared with our own tools that edit files. */
import { realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { inTurn } from "../../io/file-turns.ts"

/** Synchronous, so that two calls take their turns in the order they were made. */
const realPathOf = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    // What does not exist yet has the place that its folder gives it.
    const folder = dirname(path)
    return folder === path ? path : join(realPathOf(folder), basename(path))
  }
}

/** Runs `work` once nobody else changes the file, under whichever path. It may not ask for the same file again. */
export const withFileMutationQueue = <T>(path: string, work: () => Promise<T> | T): Promise<T> =>
  inTurn(realPathOf(resolve(path)), async () => work())
