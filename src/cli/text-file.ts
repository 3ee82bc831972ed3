/** Reads the text files named on the command line. */
import { readFile } from "node:fs/promises"
import { readFault } from "../io/file-fault.ts"
import { readRegular } from "../text/regular-file.ts"
import { UsageError } from "./usage-error.ts"

/** Also reads a pipe, such as `<(…)` of a shell. */
const contentOf = (file: string): Promise<string> => readFile(file, "utf8")

/** Reads only a regular file; for `readTextFile`. */
export const regularText = async (file: string): Promise<string> => (await readRegular(file)).toString()

/**
 * Rejects with a UsageError that names the file.
 *
 * @param hint A sentence about what to give instead.
 */
export const readNamedFile = async (file: string, hint?: string, read = contentOf): Promise<string> => {
  try {
    return await read(file)
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${readFault(error)}${hint === undefined ? "" : `. ${hint}`}`)
  }
}

/** Rejects with a UsageError also for a file that is not text. */
export const readTextFile = async (file: string, read?: typeof contentOf): Promise<string> => {
  const text = await readNamedFile(file, undefined, read)
  if (text.includes("\0")) throw new UsageError(`Cannot read ${file}: it is no text`)
  return text
}
