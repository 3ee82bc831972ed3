/** The text files that the command line names. */
import { readFile } from "node:fs/promises"
import { readFault } from "../io/file-fault.ts"
import { UsageError } from "./usage-error.ts"

/**
 * Throws a UsageError that names the file, for one that is no text too.
 *
 * @param hint What to give instead: a sentence.
 */
export const readTextFile = async (file: string, hint?: string): Promise<string> => {
  const refused = (fault: string) =>
    new UsageError(`Cannot read ${file}: ${fault}${hint === undefined ? "" : `. ${hint}`}`)
  let text: string
  try {
    text = await readFile(file, "utf8")
  } catch (error) {
    throw refused(readFault(error))
  }
  if (text.includes("\0")) throw refused("it is no text")
  return text
}
