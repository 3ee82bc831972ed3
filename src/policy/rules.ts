/** The allow and deny rules of one tool: compiled regular expressions, checked when they are made. */

/** The rules of one tool, as a host's configuration holds them: sources of regular expressions. */
export interface ToolRuleConfig {
  readonly allow?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
}

/** Rules by tool name. */
export type ToolFilterConfig = Readonly<Record<string, ToolRuleConfig>>

export interface Rule {
  readonly pattern: string
  readonly regex: RegExp
  /** The one text that the pattern matches, where it is an anchored literal such as `^npm test$`. */
  readonly literal: string | undefined
}

export interface ToolRules {
  readonly allow: ReadonlyArray<Rule>
  readonly deny: ReadonlyArray<Rule>
}

const special = /[\\^$.*+?()[\]{}|/]/g
const anchoredLiteral = /^\^((?:[^\\^$.*+?()[\]{}|]|\\[\\^$.*+?()[\]{}|/])*)\$$/

/** The pattern that matches this text and nothing else. */
export const literalPattern = (text: string): string => `^${text.replace(special, "\\$&")}$`

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const compileRule = (toolName: string, kind: "allow" | "deny", pattern: string): Rule => {
  const literal = anchoredLiteral.exec(pattern)?.[1]?.replace(/\\(.)/g, "$1")
  try {
    return { pattern, regex: new RegExp(pattern), literal }
  } catch (error) {
    throw new Error(
      `The ${kind} pattern \`${pattern}\` of tool \`${toolName}\` does not compile: ${messageOf(error)}`,
      { cause: error },
    )
  }
}

export const allowRule = (toolName: string, pattern: string): Rule => compileRule(toolName, "allow", pattern)

const describe = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const compileList = (toolName: string, kind: "allow" | "deny", patterns: unknown): Array<Rule> => {
  if (patterns === undefined) return []
  if (!Array.isArray(patterns)) {
    throw new TypeError(
      `Expected \`${kind}\` of tool \`${toolName}\` to be an array of patterns, got ${describe(patterns)}`,
    )
  }
  return patterns.map((pattern: unknown) => {
    if (typeof pattern === "string") return compileRule(toolName, kind, pattern)
    throw new TypeError(
      `Expected every \`${kind}\` pattern of tool \`${toolName}\` to be a string, got ${describe(pattern)}`,
    )
  })
}

const compileTool = (toolName: string, config: unknown): ToolRules => {
  if (!isRecord(config)) {
    throw new TypeError(
      `Expected the filters of tool \`${toolName}\` to be \`{ allow, deny }\`, got ${describe(config)}`,
    )
  }
  for (const key of Object.keys(config)) {
    // A misspelt `deny` that is passed over in silence would be a hole.
    if (key === "allow" || key === "deny") continue
    throw new TypeError(
      `Expected the filters of tool \`${toolName}\` to hold only \`allow\` and \`deny\`, got \`${key}\``,
    )
  }
  return {
    allow: compileList(toolName, "allow", config.allow),
    deny: compileList(toolName, "deny", config.deny),
  }
}

/** A Map, so that a tool named `__proto__` is a name like any other. */
export const compileRules = (config: unknown): Map<string, ToolRules> => {
  if (!isRecord(config)) {
    throw new TypeError(`Expected filters to be an object of rules by tool name, got ${describe(config)}`)
  }
  return new Map(Object.entries(config).map(([name, rules]) => [name, compileTool(name, rules)]))
}
