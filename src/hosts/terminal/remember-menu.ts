/** What can be remembered at a gate, on any screen: which rules an approval stores, each shown before it is. */
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { Tool } from "../../pipeline/model/tool.ts"
import type { RememberChoice } from "../../policy/index.ts"
import { literalPattern } from "../../policy/rules.ts"
import { ownParam } from "../../policy/subjects.ts"
import { columnsOf } from "./columns.ts"
import { ruleText } from "./remembered-rules.ts"
import { visibleLine } from "./render-text.ts"

/** One line of the menu. */
export interface RememberOption {
  /** Undefined: a pattern that is typed. */
  readonly choice: RememberChoice | undefined
  readonly text: string
}

type Named = Exclude<RememberChoice, { readonly rule: string }>

/** The tool of a call, by its name where nobody has it any more. */
export type NamedTool = Pick<Tool<unknown>, "name"> &
  Partial<Pick<Tool<unknown>, "primaryKind" | "primaryParam">>

/** What each choice approves from now on, in words. */
export const rememberedWhat: Readonly<Record<Named, (tool: NamedTool) => string>> = {
  call: () => "this very call, and no other",
  command: () => "each of its commands, also alone",
  // Of a command, `.*` covers neither options that write or run something, nor redirections, nor other folders.
  tool: ({ name, primaryKind }) =>
    primaryKind === "command"
      ? `any command of ${name} here; risky options and redirections still ask`
      : `every call of ${name} that no deny rule stops`,
}

/** One choice, in words, with the rules that it adds. */
export interface RememberedChoice {
  readonly choice: Named
  readonly what: string
  readonly rules: ReadonlyArray<string>
}

/** The choices at the gate of a call, the narrowest first, each that adds other rules than the one before. */
export const rememberedChoices = (
  executor: Pick<ToolExecutor, "wouldRemember">,
  callId: string,
  tool: NamedTool,
): Array<RememberedChoice> => {
  const choices: Array<RememberedChoice> = []
  const seen = new Set<string>()
  for (const choice of ["call", "command", "tool"] as const) {
    const rules = executor.wouldRemember(callId, choice)?.map(ruleText)
    if (rules === undefined || rules.length === 0 || seen.has(rules.join("\n"))) continue
    seen.add(rules.join("\n"))
    choices.push({ choice, what: rememberedWhat[choice](tool), rules })
  }
  return choices
}

/** A rule that is too long says what it says already: what runs stands in the gate, whole. */
const optionText = ({ what, rules }: RememberedChoice, width: number): string => {
  const text = `${what}: ${rules.map(visibleLine).join("  ")}`
  return columnsOf(text) <= width ? text : what
}

/**
 * The lines of the menu; none where no rule can approve the call again.
 *
 * @param width Of all rows that a choice may take, in columns.
 */
export const rememberOptions = (
  executor: Pick<ToolExecutor, "wouldRemember">,
  callId: string,
  tool: NamedTool,
  width: number,
): Array<RememberOption> => {
  const options: Array<RememberOption> = rememberedChoices(executor, callId, tool).map((choice) => ({
    choice: choice.choice,
    text: optionText(choice, width),
  }))
  if (options.length > 0) options.push({ choice: undefined, text: "a pattern of your own" })
  return options
}

/** A pattern for what rules match of the call, to begin one of one's own with. */
export const ownPattern = ({ primaryParam }: NamedTool, params: unknown): string => {
  const value = primaryParam === undefined ? undefined : ownParam(params, primaryParam)
  return typeof value === "string" ? literalPattern(value) : ""
}
