/** `stepline verify-log`: whether a decision log is as it was written. */
import { verifyDecisionLog } from "../hosts/decision-log.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { exitStatus } from "./tally.ts"
import { readNamedFile } from "./text-file.ts"

/** Of an empty file all is as it was written, if it ever was: to have been cut to nothing looks the same. */
const emptyNote =
  "the file is empty. Nothing was decided, or all of it was cut off, which this cannot tell: compare the last hash with the one that you kept."

/** Gives the exit status: 1 where something is wrong. */
export const verifyLogCommand = async (file: string): Promise<number> => {
  const text = await readNamedFile(file, "Give the file that --log has written.")
  const { lines, problems, last } = verifyDecisionLog(text)
  for (const problem of problems) process.stderr.write(`${printable(problem)}\n`)
  if (problems.length > 0) return exitStatus.failed
  const found =
    lines.length === 0 ? `0 decisions: ${emptyNote}` : `${lines.length} decisions, as they were written.`
  process.stdout.write(`${found} The last hash is ${last}.\n`)
  return 0
}
