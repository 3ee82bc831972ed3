/** Warnings about allow rules that are probably not intended. */
import type { Rule, ToolRules } from "./rules.ts"

/** A character, a class, or a character that opens, closes or separates groups. */
const token = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g

/** The alternatives of a pattern, outside of all groups. */
const alternativesOf = (pattern: string): ReadonlyArray<string> => {
  const found = [""]
  let depth = 0
  for (const [text] of pattern.matchAll(token)) {
    if (text === "(") depth += 1
    if (text === ")") depth -= 1
    if (text === "|" && depth === 0) found.push("")
    else found.push(`${found.pop()}${text}`)
  }
  return found
}

/** The pattern with its `^` and `$` around all alternatives; undefined if all of them or none begin with `^`. */
const anchored = (pattern: string): string | undefined => {
  const alternatives = alternativesOf(pattern)
  const begins = alternatives.filter((text) => /^\(*(\?:)?\^/.test(text))
  if (begins.length === 0 || begins.length === alternatives.length) return undefined
  const isEnded = /(?<!\\)\$$/.test(pattern)
  const bare = alternatives.map((text) => text.replace(/^\^/, "").replace(/(?<!\\)\$$/, ""))
  return `^(${bare.join("|")})${isEnded ? "$" : ""}`
}

const warningOf = (toolName: string, { pattern, isAny, source, call }: Rule): string | undefined => {
  if (call !== undefined) return undefined
  const from = source === undefined ? "" : ` (${source})`
  const named = `The allow pattern \`${pattern}\` of tool \`${toolName}\`${from}`
  if (isAny) {
    return `${named} approves whatever no deny rule stops, but for commands that only a rule which names them approves: options that write or run something, redirections, other folders. Name what may run unasked instead.`
  }
  const corrected = anchored(pattern)
  if (corrected === undefined) return undefined
  return `${named} begins with \`^\` in some of its alternatives only; the others are for whatever holds them. Write \`${corrected}\`.`
}

export const warningsOf = (rules: ReadonlyMap<string, ToolRules>): Array<string> =>
  [...rules].flatMap(([toolName, { allow }]) => allow.flatMap((rule) => warningOf(toolName, rule) ?? []))
