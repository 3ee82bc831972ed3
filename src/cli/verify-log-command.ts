/** `stepline verify-log`: whether a decision log is as it was written. */
import { verifyDecisionLog } from "../hosts/decision-log.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { exitStatus } from "./tally.ts"
import { readNamedFile } from "./text-file.ts"

/** Gives the exit status: 1 where something is wrong. */
export const verifyLogCommand = async (file: string): Promise<number> => {
  const text = await readNamedFile(file, "Give the file that --log has written.")
  const { lines, problems, last } = verifyDecisionLog(text)
  for (const problem of problems) process.stderr.write(`${printable(problem)}\n`)
  if (problems.length > 0) return exitStatus.failed
  process.stdout.write(`${lines.length} decisions, as they were written. The last hash is ${last}.\n`)
  return 0
}
