/** Who decided, in words. */
import type { DecisionDetail } from "../state/detail.ts"
import type { DecidedRow } from "../state/page-state.ts"

const deciders: Readonly<Record<string, string>> = {
  user: "a person",
  rule: "a rule",
  hook: "a hook",
  reviewer: "a reviewer",
  call: "its caller, beforehand",
  timeout: "nobody, in time",
  model: "the model",
  tool: "another tool",
  shutdown: "the shutdown",
}

/** In a word or two. */
export const decider = ({ kind, name }: DecidedRow): string => {
  const who = deciders[kind] ?? kind
  if (name === undefined) return who
  return kind === "user" ? name : `${who} (${name})`
}

/** Who decided, with the reason. */
export const decision = ({ kind, people, rule, source, command, reason }: DecisionDetail): string => {
  const name = people ?? source
  const who = decider({ kind, ...(name !== undefined && { name }) })
  // The reason names the rule and the text that it matched.
  if (reason !== undefined) return `${who}: ${reason}`
  if (rule === undefined) return who
  return command === undefined ? `${who}: ${rule}` : `${who}: ${rule}, for ${command}`
}
