/** What the rules say of a call, and why: of every one before it runs, and of each that comes to a gate. */
import type { Explanation } from "../../policy/index.ts"
import type { DecidedBy } from "../model/decision.ts"
import { messageOf } from "../model/failure.ts"
import type { CallFilter, FilteredTool } from "../model/options.ts"

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

const becauses = {
  approve: "A rule approves this call.",
  deny: "A rule denies this call.",
  ask: "No rule approves this call.",
} as const satisfies Record<Explanation["verdict"], string>

/** What the filters say, and why. A filter that fails leaves it to be asked. Never throws. */
export const explained = (
  filters: CallFilter | undefined,
  tool: FilteredTool,
  params: unknown,
): Explanation => {
  if (filters === undefined) return noRule(tool)
  try {
    if (filters.explain !== undefined) return filters.explain(tool, params)
    const verdict = filters.evaluate(tool, params) ?? "ask"
    return { verdict, because: becauses[verdict] }
  } catch (error) {
    return ask(`The filter failed: ${messageOf(error)}`)
  }
}

/** The rule that decided. */
export const byRule = ({ rule, source, command, folder, because }: Explanation): DecidedBy => ({
  kind: "rule",
  ...(rule !== undefined && { rule }),
  ...(source !== undefined && { source }),
  ...(command !== undefined && { command }),
  ...(folder !== undefined && { folder }),
  reason: because,
})

/** What only the host's answer passes is asked, whatever the rules say of the call. */
export const onlyAPerson = "Only a person passes this gate."
