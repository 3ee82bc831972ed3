/** Explains what is wrong with a typed pattern, before anything is approved. */
import { messageOf } from "../../../text/message-of.ts"

const ruleOf = (remember: unknown): string | undefined => {
  const rule: unknown = (remember as { readonly rule?: unknown } | null | undefined)?.rule
  return typeof rule === "string" ? rule : undefined
}

/** Maximum characters of a pattern in a message. */
const maxPattern = 200

const shortened = (rule: string): string =>
  rule.length <= maxPattern ? rule : `${rule.slice(0, maxPattern)}…`

const compileProblem = (rule: string): string | undefined => {
  try {
    new RegExp(rule)
    return undefined
  } catch (error) {
    // The engine's message repeats the whole pattern.
    return messageOf(error).split(": ").at(-1)
  }
}

/** Returns a sentence; undefined if the pattern is valid or missing. `fits`: whether it would approve this call. */
export const ruleProblem = (
  remember: unknown,
  fits: (rule: string) => boolean = () => true,
): string | undefined => {
  const rule = ruleOf(remember)
  if (rule === undefined) return undefined
  const problem = compileProblem(rule)
  if (problem !== undefined)
    return `The pattern ${shortened(rule)} does not compile: ${problem}. Nothing was approved.`
  if (fits(rule)) return undefined
  return `The pattern ${shortened(rule)} would not approve this very call, so it cannot be remembered. Nothing was approved.`
}
