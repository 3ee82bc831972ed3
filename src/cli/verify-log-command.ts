/** `stepline verify-log`: checks whether a decision log is unchanged. */
import { type VerifiedLog, type VerifyLogOptions, verifyDecisionLog } from "../hosts/decision-log.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { messageOf } from "../text/message-of.ts"
import { exitStatus } from "./tally.ts"
import { tell } from "./tell.ts"
import { readNamedFile } from "./text-file.ts"
import { UsageError } from "./usage-error.ts"

/** The note for an empty file: it is valid, but a file cut to nothing looks the same. */
const emptyNote =
  "the file is empty. Nothing was decided, or all of it was cut off, which this cannot tell: compare the last hash with the one that you kept."

const check = (text: string, key: string | undefined): VerifiedLog => {
  try {
    return verifyDecisionLog(text, key === undefined ? {} : { key })
  } catch (error) {
    throw new UsageError(`--key: ${messageOf(error)}`)
  }
}

/** Resolves with the exit status: 1 if there is a problem. */
export const verifyLogCommand = async (file: string, { key }: VerifyLogOptions): Promise<number> => {
  const text = await readNamedFile(file, "Give the file that --log has written.")
  const { lines, problems, last } = check(text, key)
  for (const problem of problems) process.stderr.write(`${printable(problem)}\n`)
  if (problems.length > 0) return exitStatus.failed
  const found =
    lines.length === 0
      ? `0 decisions: ${emptyNote}`
      : `${lines.length} decisions, as they were written${key === undefined ? "" : " and signed"}.`
  if (key === undefined && lines.some(({ signature }) => signature !== undefined))
    tell("the signatures were not checked: give the public key with --key.")
  process.stdout.write(`${found} The last hash is ${last}.\n`)
  return 0
}
