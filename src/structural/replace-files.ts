/**
 * Writes the new contents of several files, or of none: one file after another, each in one step. If one cannot be written,
 * or has changed, the files written before are restored.
 */
import type { EnsureHeld } from "../io/file-lock.ts"
import type { Files } from "../io/files.ts"
import { whileChanging } from "../io/while-changing.ts"
import { StructuralError } from "./structural-error.ts"

export interface FileReplacement {
  /** The path as shown to the model. */
  readonly path: string
  /** Absolute, with every link resolved. */
  readonly real: string
  /** Other names of the same file (hard links), which get the same content; in the form of `real`. */
  readonly others?: ReadonlyArray<string>
  readonly before: Uint8Array
  readonly after: Uint8Array
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  ENOENT: "it is not there any more",
}

const reasonOf = (cause: unknown): string => {
  const { code, message } = cause as NodeJS.ErrnoException
  return reasons[String(code)] ?? message
}

const holds = async (files: Files, real: string, content: Uint8Array): Promise<boolean> => {
  const info = await files.stat(real)
  return (
    info?.kind === "file" &&
    info.size === content.length &&
    Buffer.from(await files.read(real)).equals(content)
  )
}

/** Restores files. Resolves with the paths that could not be restored. Skips files that somebody else has written since. */
const putBack = async (files: Files, written: ReadonlyArray<FileReplacement>): Promise<Array<string>> => {
  const lost: Array<string> = []
  for (const { path, real, others, before, after } of [...written].reverse()) {
    try {
      await whileChanging(files, real, async () => {
        if (await holds(files, real, after)) await files.replace(real, before, undefined, others)
        else lost.push(`${path} (changed meanwhile)`)
      })
    } catch (cause) {
      lost.push(`${path} (${reasonOf(cause)})`)
    }
  }
  return lost
}

const outcomeOf = (written: ReadonlyArray<FileReplacement>, lost: ReadonlyArray<string>): string => {
  if (written.length === 0) return "Nothing was written."
  if (lost.length > 0) return `These files could not be put back: ${lost.join(", ")}. Check them.`
  return `Put back: ${written.map(({ path }) => path).join(", ")}. No file is changed.`
}

/** The message for files that have changed since the preview. */
export const staleMessage = (paths: ReadonlyArray<string>): string =>
  `${paths.join(", ")} changed since the preview. Discard the preview with the resolve tool and run ast_edit again.`

/** Whether all names still belong to one file. */
const areOneFile = async (files: Files, names: ReadonlyArray<string>): Promise<boolean> => {
  if (names.length === 1) return true
  const infos = await Promise.all(names.map((name) => files.stat(name)))
  const ids = new Set(infos.map((info) => info?.shared?.id))
  return ids.size === 1 && !ids.has(undefined)
}

/** Rejects, and leaves the file unchanged, if it has changed or cannot be written. */
const replaceOne = async (
  files: Files,
  { path, real, others = [], before, after }: FileReplacement,
  ensureHeld: EnsureHeld,
  signal: AbortSignal,
): Promise<void> => {
  if (!(await holds(files, real, before)) || !(await areOneFile(files, [real, ...others]))) {
    throw new StructuralError(staleMessage([path]))
  }
  await ensureHeld()
  try {
    await files.replace(real, after, signal, others)
    // The `Files` of another machine can ignore `others`.
    for (const other of others) if (!(await holds(files, other, after))) await files.replace(other, after)
  } catch (cause) {
    // A file written in place can be half written; some of several names can have the new content.
    if (!(await holds(files, real, before))) await files.replace(real, before)
    for (const other of others) if (await holds(files, other, after)) await files.replace(other, before)
    throw cause
  }
}

/**
 * Rejects with a StructuralError that names the failed file and the restored ones. An abort restores the written files, and
 * rejects with the signal's reason.
 */
export const replaceFiles = async (
  files: Files,
  replacements: ReadonlyArray<FileReplacement>,
  signal: AbortSignal,
): Promise<void> => {
  const written: Array<FileReplacement> = []
  if (replacements.length > 1) await files.prepareReplace?.(replacements.map(({ real }) => real))
  try {
    for (const replacement of replacements) {
      signal.throwIfAborted()
      // Nobody else must change the file between the check and the write.
      await whileChanging(
        files,
        replacement.real,
        (ensureHeld) => replaceOne(files, replacement, ensureHeld, signal),
        signal,
      )
      written.push(replacement)
    }
    signal.throwIfAborted()
  } catch (cause) {
    const outcome = outcomeOf(written, await putBack(files, written))
    if (signal.aborted) throw signal.reason
    const failure =
      cause instanceof StructuralError
        ? cause.message
        : `Cannot write ${replacements[written.length]?.path}: ${reasonOf(cause)}.`
    throw new StructuralError(`${failure} ${outcome}`, { cause })
  }
}
