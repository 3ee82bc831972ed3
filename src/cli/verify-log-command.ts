/** `stepline verify-log`: whether a decision log is as it was written. */
import { readFile } from "node:fs/promises"
import { verifyDecisionLog } from "../hosts/decision-log.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { messageOf } from "../pipeline/model/failure.ts"
import { exitStatus } from "./tally.ts"
import { UsageError } from "./usage-error.ts"

/** Gives the exit status: 1 where something is wrong. */
export const verifyLogCommand = async (file: string): Promise<number> => {
  let text: string
  try {
    text = await readFile(file, "utf8")
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
  const { lines, problems, last } = verifyDecisionLog(text)
  for (const problem of problems) process.stderr.write(`${printable(problem)}\n`)
  if (problems.length > 0) return exitStatus.failed
  process.stdout.write(`${lines.length} decisions, as they were written. The last hash is ${last}.\n`)
  return 0
}
