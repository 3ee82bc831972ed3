/** Keeps processes that edit one file apart, with a lock beside the file that is there while one of them edits. */
import { createHash } from "node:crypto"
import { basename, dirname } from "node:path"
import { type EnsureHeld, withFileLock } from "./file-lock.ts"
import { RealFolder } from "./real-folder.ts"

/** Of the same length for every name; `sweep` knows its form. */
const lockName = (name: string): string =>
  `.stepline-${createHash("sha256").update(name).digest("hex").slice(0, 32)}.lock`

/** Of a folder that takes no new files, and so no lock: its files are written in place. */
const lockless = new Set(["EACCES", "EPERM", "EROFS"])

const codeOf = (cause: unknown): string => String((cause as NodeJS.ErrnoException).code)

/** `path` is real. Rejects where another process keeps the file for half a minute. */
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
