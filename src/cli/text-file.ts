/** The text files that the command line names. */
import { readFile } from "node:fs/promises"
import { readFault } from "../io/file-fault.ts"
import { readRegular } from "../text/regular-file.ts"
import { UsageError } from "./usage-error.ts"

/** A pipe too, as a shell makes one for `<(…)`. */
const contentOf = (file: string): Promise<string> => readFile(file, "utf8")

/** For `readTextFile`. */
export const regularText = async (file: string): Promise<string> => (await readRegular(file)).toString()

/**
 * Throws a UsageError that names the file.
 *
 * @param hint What to give instead: a sentence.
 */
export const readNamedFile = async (file: string, hint?: string, read = contentOf): Promise<string> => {
  try {
    return await read(file)
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${readFault(error)}${hint === undefined ? "" : `. ${hint}`}`)
  }
}

/** Throws a UsageError for a file that is no text too. */
export const readTextFile = async (file: string, read?: typeof contentOf): Promise<string> => {
  const text = await readNamedFile(file, undefined, read)
  if (text.includes("\0")) throw new UsageError(`Cannot read ${file}: it is no text`)
  return text
}
