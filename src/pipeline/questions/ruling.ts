/** The verdicts of the rules on calls, with their reasons: deny rules hold before a call runs, and all rules at its gates. */

import type { DecidedBy } from "../../model/decision.ts"
import type { CallMemory } from "../../model/handler.ts"
import type { Mutable } from "../../model/mutable.ts"
import type { CallFilter, FilteredTool } from "../../model/options.ts"
import { deniedByPolicy, type Stopped } from "../../model/outcome.ts"
import { isThenable, leaveAlone } from "../../model/thenable.ts"
import type { Tool } from "../../model/tool.ts"
import type { Explanation } from "../../policy/index.ts"
import { messageOf } from "../../text/message-of.ts"

/** The reason to ask at a gate if no rule names the tool. */
export const noRuleFor = (toolName: string): string => `There is no rule for the tool \`${toolName}\`.`

const ask = (because: string): Explanation => ({ verdict: "ask", because })

/** The reasons by tool, so that all waiting calls of a tool share one string. */
const withoutRules = new WeakMap<FilteredTool, Explanation>()

const noRule = (tool: FilteredTool): Explanation => {
  const known = withoutRules.get(tool)
  if (known !== undefined) return known
  const made = ask(noRuleFor(tool.name))
  withoutRules.set(tool, made)
  return made
}

/** Replaces a reason from a snapshot by the shared string, which saves memory when many thousands of restored calls wait. */
export const shareReason = (
  tool: FilteredTool | undefined,
  because: string | undefined,
): string | undefined => {
  const shared = tool && noRule(tool).because
  return because === shared ? shared : because
}

const defaultReasons = {
  approve: "A rule approves this call.",
  deny: "A rule denies this call.",
  ask: "No rule approves this call.",
} as const satisfies Record<Explanation["verdict"], string>

const isVerdict = (verdict: unknown): verdict is Explanation["verdict"] =>
  typeof verdict === "string" && Object.hasOwn(defaultReasons, verdict)

/** Throws if a filter returned a promise: filters are synchronous, and a promise of `deny` would not count as a denial. */
export const refusePromise = (answer: unknown): void => {
  if (!isThenable(answer)) return
  leaveAlone(answer)
  throw new TypeError("it gave a promise, and a filter has to answer at once")
}

/** Adds the default reason to a filter's explanation that has none. An invalid verdict becomes `ask`. */
const withReason = (
  explanation: Omit<Explanation, "because"> & { readonly because?: string },
): Explanation => {
  const { verdict, because } = explanation
  if (!isVerdict(verdict)) return ask("The filter gave no answer that can be meant.")
  return typeof because === "string"
    ? (explanation as Explanation)
    : { ...explanation, because: defaultReasons[verdict] }
}

const answered = <Answer>(answer: Answer): Answer => {
  refusePromise(answer)
  return answer
}

/** The verdict of the filters, with its reason. A filter that throws gives `ask`. Never throws. */
export const explained = (
  filters: CallFilter | undefined,
  tool: FilteredTool,
  params: unknown,
): Explanation => {
  if (filters === undefined) return noRule(tool)
  try {
    return filters.explain === undefined
      ? withReason({ verdict: answered(filters.evaluate(tool, params)) ?? "ask" })
      : withReason(answered(filters.explain(tool, params)))
  } catch (error) {
    return ask(`The filter failed: ${messageOf(error)}`)
  }
}

/**
 * The verdict of the rules on a running call, as if it had these parameters. A filter that throws denies, as it does before a call
 * runs. An invalid verdict gives `ask`, no matter which party approved the call. Never throws.
 */
export const ruledAgain = (
  filters: CallFilter,
  tool: FilteredTool | undefined,
  params: unknown,
  decidedBy: DecidedBy | undefined,
): "run" | "ask" | "deny" => {
  if (tool === undefined) return "ask"
  try {
    const verdict: unknown = answered(filters.evaluate(tool, params)) ?? "ask"
    if (verdict === "deny") return "deny"
    if (!isVerdict(verdict)) return "ask"
  } catch {
    return "deny"
  }
  const { verdict } = explained(filters, tool, params)
  if (verdict === "deny") return "deny"
  return decidedBy?.kind !== "rule" || verdict === "approve" ? "run" : "ask"
}

/** The tool as rules see it at a gate: its `paths` can use the memory of the call, such as files that a handler has found. */
export const foundBy = (
  tool: Tool<unknown> | undefined,
  memory: CallMemory | undefined,
): FilteredTool | undefined => {
  if (tool?.paths === undefined || memory === undefined) return tool
  const { paths } = tool
  return { ...tool, paths: (params) => paths(params, memory) }
}

/** The outcome of a call that a deny rule forbids. */
export const deniedByRule = (tool: FilteredTool, explanation: Explanation): Stopped =>
  deniedByPolicy(`Denied by policy: a rule forbids this call of ${tool.name}`, byRule(explanation))

/** The rule that decided. Optional properties are set one by one, which is faster than spreading: most are absent. */
export const byRule = ({ rule, source, command, folder, because }: Explanation): DecidedBy => {
  const by: Mutable<DecidedBy> = { kind: "rule" }
  if (rule !== undefined) by.rule = rule
  if (source !== undefined) by.source = source
  if (command !== undefined) by.command = command
  if (folder !== undefined) by.folder = folder
  by.reason = because
  return by
}

/** The reason to ask at a gate that only the host's answer passes, whatever the rules decide. */
export const onlyAPerson = "Only a person passes this gate."
