/** Lets one process at a time edit a file, with a lock file beside it. */
import { createHash } from "node:crypto"
import { basename, dirname } from "node:path"
import { type EnsureHeld, withFileLock } from "./file-lock.ts"
import { RealFolder } from "./real-folder.ts"

/** The same length for every name; `sweep` matches this form. */
const lockName = (name: string): string =>
  `.stepline-${createHash("sha256").update(name).digest("hex").slice(0, 32)}.lock`

/** Error codes of a folder that takes no new files, and so no lock: its files are written in place. */
const lockless = new Set(["EACCES", "EPERM", "EROFS"])

const codeOf = (cause: unknown): string => String((cause as NodeJS.ErrnoException).code)

/**
 * Runs `work` while no other process edits the file. `path` has every link resolved. Rejects if another process keeps the
 * file for 30 seconds.
 */
export const withFileToItself = <A>(
  path: string,
  work: (ensureHeld: EnsureHeld) => Promise<A>,
  signal?: AbortSignal,
): Promise<A> =>
  RealFolder.use(dirname(path), async (folder) => {
    const name = lockName(basename(path))
    let isHeld = false
    const held = (ensureHeld: EnsureHeld) => {
      isHeld = true
      return work(ensureHeld)
    }
    await folder.expectInPlace()
    try {
      return await withFileLock(folder.at(name), held, {
        shownPath: folder.named(name),
        ...(signal !== undefined && { signal }),
      })
    } catch (cause) {
      if (isHeld || !lockless.has(codeOf(cause))) throw cause
      return work(async () => {})
    }
  })
