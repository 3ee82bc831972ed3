/** Checks that rules name tools that exist: a rule for no tool protects nothing. */
import { namesMatching } from "../text/name-pattern.ts"
import { didYouMean } from "../text/near-name.ts"
import type { ToolRules } from "./rules.ts"

/**
 * Throws a TypeError for a rule of no tool. A rule with a `source`, such as a file, may be for a tool of another program, or for
 * one that is registered later; so may every rule while there are no tools. `tell` is called for the deny rules among these.
 */
export const expectTools = (
  rules: ReadonlyMap<string, ToolRules>,
  tools: ReadonlyArray<string>,
  tell: (warning: string) => void,
): void => {
  for (const [name, { allow, deny }] of rules) {
    if (tools.some(namesMatching([name]))) continue
    const isOwn = [...allow, ...deny].some(({ source }) => source === undefined)
    if (isOwn && tools.length > 0) throw new TypeError(unknownTool(name, tools))
    for (const source of new Set(deny.map((rule) => rule.source)))
      tell(`${source ?? "filters"}: there is no tool \`${name}\` here to deny.`)
  }
}

const unknownTool = (name: string, tools: ReadonlyArray<string>): string => {
  const advice = didYouMean(name, tools) || ` Tools: ${tools.join(", ")}.`
  return `The filters have rules for the tool \`${name}\`, which the registry has not.${advice} Register it before the executor is made, or compile its rules with a \`source\`.`
}
