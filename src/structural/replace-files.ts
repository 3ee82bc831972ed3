/**
 * Gives several files their new content, or none: each file in one step, one after another. Where one cannot be written, or
 * is not any more what it was, those written before get their content back.
 */
import { inTurn } from "../io/file-turns.ts"
import type { Files } from "../io/files.ts"
import { StructuralError } from "./structural-error.ts"

export interface FileReplacement {
  /** As it is named to the model. */
  readonly path: string
  /** Absolute, with every link resolved. */
  readonly real: string
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

/** Gives the paths that could not be put back. What somebody else has written since is left alone. */
const putBack = async (files: Files, written: ReadonlyArray<FileReplacement>): Promise<Array<string>> => {
  const lost: Array<string> = []
  for (const { path, real, before, after } of [...written].reverse()) {
    try {
      await inTurn(real, async () => {
        if (await holds(files, real, after)) await files.replace(real, before)
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

/** The sentence for files that are not what they were when the change was previewed. */
export const staleMessage = (paths: ReadonlyArray<string>): string =>
  `${paths.join(", ")} changed since the preview. Discard the preview with the resolve tool and run ast_edit again.`

/** Fails where the file is not what it was, and where it cannot be written; then it holds what it held before. */
const replaceOne = async (
  files: Files,
  { path, real, before, after }: FileReplacement,
  signal: AbortSignal,
): Promise<void> => {
  if (!(await holds(files, real, before))) throw new StructuralError(staleMessage([path]))
  try {
    await files.replace(real, after, signal)
  } catch (cause) {
    // A file with several names is written in place, and may be left half written.
    if (!(await holds(files, real, before))) await files.replace(real, before)
    throw cause
  }
}

/**
 * Fails with a StructuralError that says which file failed and which were put back. An abort puts back what was written,
 * and fails with the signal's reason.
 */
export const replaceFiles = async (
  files: Files,
  replacements: ReadonlyArray<FileReplacement>,
  signal: AbortSignal,
): Promise<void> => {
  const written: Array<FileReplacement> = []
  try {
    for (const replacement of replacements) {
      signal.throwIfAborted()
      // Somebody else who changes the file must not come between the look and the write.
      await inTurn(replacement.real, () => replaceOne(files, replacement, signal))
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
