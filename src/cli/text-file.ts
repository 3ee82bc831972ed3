/** The text files that the command line names. */
import { readFile } from "node:fs/promises"
import { readFault } from "../io/file-fault.ts"
import { UsageError } from "./usage-error.ts"

/**
 * Throws a UsageError that names the file.
 *
 * @param hint What to give instead: a sentence.
 */
export const readNamedFile = async (file: string, hint?: string): Promise<string> => {
  try {
    return await readFile(file, "utf8")
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${readFault(error)}${hint === undefined ? "" : `. ${hint}`}`)
  }
}

/** Throws a UsageError for a file that is no text too. */
export const readTextFile = async (file: string): Promise<string> => {
  const text = await readNamedFile(file)
  if (text.includes("\0")) throw new UsageError(`Cannot read ${file}: it is no text`)
  return text
}
