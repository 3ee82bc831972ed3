/** Messages to the user, separate from the output. */
import { printable } from "../hosts/terminal/printable.ts"

/** Writes one line to standard error. */
export const tell = (line: string): void => {
  process.stderr.write(`stepline: ${printable(line)}\n`)
}
