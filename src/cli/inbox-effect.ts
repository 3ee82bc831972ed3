/** The answer to an effect of the inbox: from the command line, or typed at the terminal. */

import { createInterface } from "node:readline"
import type { EffectAnswer } from "../durable/requests.ts"
import { writtenOutput } from "../hosts/written-output.ts"
import { statusOfSignal } from "../io/exit-status.ts"
import { UsageError } from "./usage-error.ts"

const question = "Answer, as JSON (Enter: nothing; n REASON: refuse it): "
const notJson = "That is not JSON: put texts in quotes."

/** @param reason Empty if there is none. */
export const refusalOf = (reason = ""): EffectAnswer => ({
  error: reason.trim() === "" ? "Refused by the user" : reason,
})

/** Returns undefined for a text that is not JSON. */
const readAnswer = (json: string): EffectAnswer | undefined => {
  if (json.trim() === "") return {}
  try {
    const output = writtenOutput(JSON.parse(json))
    return output && { output }
  } catch {
    return undefined
  }
}

/** Parses `--value`. Throws a UsageError if it is not JSON. */
export const givenAnswer = (json: string): EffectAnswer => {
  const answer = readAnswer(json)
  if (answer === undefined) throw new UsageError(`--value ${json}: ${notJson} For a shell: --value '"text"'`)
  return answer
}

/** Whether a person can be asked at the terminal. */
export const canAskAnswer = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

/** Asks until the answer is valid JSON; resolves with undefined if the input ends. Ctrl-C ends the process. */
export const askAnswer = async (): Promise<EffectAnswer | undefined> => {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  lines.once("SIGINT", () => {
    process.stdout.write("\n")
    process.exit(statusOfSignal("SIGINT"))
  })
  const ended = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)))
  try {
    for (;;) {
      const typed = new Promise<string>((resolve) => lines.question(question, resolve))
      const line = await Promise.race([typed, ended])
      if (line === undefined) return undefined
      const [refusal, reason = ""] = /^\s*no?(?:\s+(.*?))?\s*$/i.exec(line) ?? []
      if (refusal !== undefined) return refusalOf(reason)
      const answer = readAnswer(line)
      if (answer !== undefined) return answer
      process.stdout.write(`${notJson}\n`)
    }
  } finally {
    lines.close()
  }
}
