/** What the rules say of a call, and why: of every one before it runs, and of each that comes to a gate. */
import type { Explanation } from "../../policy/index.ts"
import { messageOf } from "../../text/message-of.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { CallMemory } from "../model/handler.ts"
import type { Mutable } from "../model/mutable.ts"
import type { CallFilter, FilteredTool } from "../model/options.ts"
import { deniedByPolicy, type Stopped } from "../model/outcome.ts"
import { isThenable, leaveAlone } from "../model/thenable.ts"
import type { Tool } from "../model/tool.ts"

/** Why a gate is asked where no rule is about the tool. */
export const noRuleFor = (toolName: string): string => `There is no rule for the tool \`${toolName}\`.`

const ask = (because: string): Explanation => ({ verdict: "ask", because })

/** One sentence a tool, however many of its calls wait. */
const withoutRules = new WeakMap<FilteredTool, Explanation>()

const noRule = (tool: FilteredTool): Explanation => {
  const known = withoutRules.get(tool)
  if (known !== undefined) return known
  const made = ask(noRuleFor(tool.name))
  withoutRules.set(tool, made)
  return made
}

/** A reason that was read back, as the one text that calls of its tool share: each of many thousands that wait would hold its own. */
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

/** A filter answers at once: a promise of `deny` would be taken for no denial. Throws for one, and leaves it alone. */
export const refusePromise = (answer: unknown): void => {
  if (!isThenable(answer)) return
  leaveAlone(answer)
  throw new TypeError("it gave a promise, and a filter has to answer at once")
}

/** What a filter gave, with a reason in any case. What cannot be meant is asked. */
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

/** What the filters say, and why. A filter that fails leaves it to be asked. Never throws. */
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
 * What the rules say of a call that runs, had it these parameters. As before a call, a filter that fails denies; what cannot
 * be meant is asked, whoever approved the call. Never throws.
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

/** A tool at a gate: it names the paths that its call's handlers have found by then. */
export const foundBy = (
  tool: Tool<unknown> | undefined,
  memory: CallMemory | undefined,
): FilteredTool | undefined => {
  if (tool?.paths === undefined || memory === undefined) return tool
  const { paths } = tool
  return { ...tool, paths: (params) => paths(params, memory) }
}

/** What a rule forbids ends as, before anything of it runs and at its gates. */
export const deniedByRule = (tool: FilteredTool, explanation: Explanation): Stopped =>
  deniedByPolicy(`Denied by policy: a rule forbids this call of ${tool.name}`, byRule(explanation))

/** The rule that decided. Set one by one: most are absent, and every call that a rule passes pays for this. */
export const byRule = ({ rule, source, command, folder, because }: Explanation): DecidedBy => {
  const by: Mutable<DecidedBy> = { kind: "rule" }
  if (rule !== undefined) by.rule = rule
  if (source !== undefined) by.source = source
  if (command !== undefined) by.command = command
  if (folder !== undefined) by.folder = folder
  by.reason = because
  return by
}

/** What only the host's answer passes is asked, whatever the rules say of the call. */
export const onlyAPerson = "Only a person passes this gate."
