/** The choices to remember at a gate, for any screen, each with the rules that it stores. */

import type { Tool } from "../../model/tool.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { RememberChoice } from "../../policy/index.ts"
import { literalPattern } from "../../policy/rules.ts"
import { ownParam } from "../../policy/subjects.ts"
import { columnsOf } from "./columns.ts"
import { ruleText } from "./remembered-rules.ts"
import { visibleLine } from "./render-text.ts"

/** One line of the menu. */
export interface RememberOption {
  /** Undefined for a pattern to be typed. */
  readonly choice: RememberChoice | undefined
  readonly text: string
}

type Named = Exclude<RememberChoice, { readonly rule: string }>

/** The tool of a call; only its name if the tool is gone. */
export type NamedTool = Pick<Tool<unknown>, "name"> &
  Partial<Pick<Tool<unknown>, "primaryKind" | "primaryParam">>

/** What each choice approves, in words. */
export const rememberedWhat: Readonly<Record<Named, (tool: NamedTool) => string>> = {
  call: () => "this very call, and no other",
  command: () => "each of its commands, also alone",
  // For commands, `.*` covers neither options that write or run something, nor redirections, nor other folders.
  tool: ({ name, primaryKind }) =>
    primaryKind === "command"
      ? `any command of ${name} here; risky options and redirections still ask`
      : `every call of ${name} that no deny rule stops`,
}

/** A choice, in words, with the rules that it adds. */
export interface RememberedChoice {
  readonly choice: Named
  readonly what: string
  readonly rules: ReadonlyArray<string>
}

/** The choices at the gate of a call, the narrowest first. Omits a choice with the same rules as an earlier one. */
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

/** A rule that is too long is described: the gate shows all of what runs. */
const optionText = ({ what, rules }: RememberedChoice, width: number): string => {
  const text = `${what}: ${rules.map(visibleLine).join("  ")}`
  return columnsOf(text) <= width ? text : what
}

/**
 * The lines of the menu; none if no rule can approve the call again.
 *
 * @param width The columns of all rows of a choice together.
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

/** A pattern for the call, to start a rule with. */
export const ownPattern = ({ primaryParam }: NamedTool, params: unknown): string => {
  const value = primaryParam === undefined ? undefined : ownParam(params, primaryParam)
  return typeof value === "string" ? literalPattern(value) : ""
}
