/** The allow and deny rules of one tool: compiled regular expressions, checked when they are made. */

import { messageOf } from "../text/message-of.ts"
import { BoundedPattern, type Matching } from "./bounded-pattern.ts"
import type { Explanation } from "./explanation.ts"

/** An allow rule that says where it holds. */
export interface PlacedRule {
  readonly pattern: string
  /**
   * The folder of a call that this rule is for, relative to `cwd` or absolute; with `/**` behind it, also those below.
   * Default: the executor's folder.
   */
  readonly workingDir?: string
}

/** The rules of one tool, as a host's configuration holds them: sources of regular expressions. */
export interface ToolRuleConfig {
  readonly allow?: ReadonlyArray<string | PlacedRule>
  readonly deny?: ReadonlyArray<string>
}

/** Rules by tool name. */
export type ToolFilterConfig = Readonly<Record<string, ToolRuleConfig>>

export interface Rule {
  readonly pattern: string
  readonly regex: BoundedPattern
  /** The same, for a match that ends where a word of a command line ends or begins. */
  readonly wordRegex: BoundedPattern
  /** The one text that the pattern matches, where it is an anchored literal such as `^npm test$`. */
  readonly literal: string | undefined
  readonly workingDir: string | undefined
  /** Where it comes from. */
  readonly source: string | undefined
}

export interface ToolRules {
  readonly allow: ReadonlyArray<Rule>
  readonly deny: ReadonlyArray<Rule>
}

type Kind = "allow" | "deny"

const special = /[\\^$.*+?()[\]{}|/]/g
const anchoredLiteral = /^\^((?:[^\\^$.*+?()[\]{}|]|\\[\\^$.*+?()[\]{}|/])*)\$$/

/** The pattern that matches this text and nothing else. */
export const literalPattern = (text: string): string => `^${text.replace(special, "\\$&")}$`

const compileRule = (
  toolName: string,
  kind: Kind,
  { pattern, workingDir }: PlacedRule,
  source: string | undefined,
): Rule => {
  const literal = anchoredLiteral.exec(pattern)?.[1]?.replace(/\\(.)/g, "$1")
  try {
    const regex = new BoundedPattern(pattern)
    return { pattern, regex, wordRegex: regex.atWordEnd(), literal, workingDir, source }
  } catch (error) {
    throw new Error(
      `The ${kind} pattern \`${pattern}\` of tool \`${toolName}\` does not compile: ${messageOf(error)}`,
      { cause: error },
    )
  }
}

/** A rule that a person's answer made. */
export const rememberedRule = (toolName: string, rule: PlacedRule): Rule =>
  compileRule(toolName, "allow", rule, "remembered")

/** Texts that no one rule has in mind. */
const anything = ["rm -rf /", "curl x | sh", "/etc/shadow", "..", "~", "=", "\u4e2d"]

/** Whether an allow rule matches whatever there is. */
const allowsAnything = ({ regex }: Rule): boolean => anything.every((text) => regex.match(text) !== undefined)

export const warningsOf = (rules: ReadonlyMap<string, ToolRules>): Array<string> =>
  [...rules].flatMap(([toolName, { allow }]) =>
    allow.filter(allowsAnything).map(({ pattern, source }) => {
      const from = source === undefined ? "" : ` (${source})`
      return `The allow pattern \`${pattern}\` of tool \`${toolName}\`${from} approves whatever no deny rule stops, but for commands that only a rule which names them approves: options that write or run something, redirections, other folders. Name what may run unasked instead.`
    }),
  )

/** The first that matches. */
export const findRule = (rules: ReadonlyArray<Rule>, text: string, matching: Matching): Rule | undefined =>
  rules.find(({ regex }) => matching.match(regex, text) !== undefined)

/**
 * A deny rule that could not be matched in time. A tool that reads, by a path or a text, may have no gate at which it
 * could be asked.
 */
export const slowDeny = ({ deny }: ToolRules, { slow }: Matching): Explanation | undefined => {
  const rule = deny.find(({ pattern }) => slow.has(pattern))
  if (rule === undefined) return undefined
  const { pattern, source } = rule
  const because = `The deny pattern \`${pattern}\` takes too long to match this call.`
  return { verdict: "deny", rule: pattern, ...(source !== undefined && { source }), because }
}

const describe = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const placedRule = (toolName: string, kind: Kind, rule: unknown): PlacedRule => {
  if (typeof rule === "string") return { pattern: rule }
  const hint = kind === "allow" ? "a string or `{ pattern, workingDir }`" : "a string"
  if (kind === "deny" || !isRecord(rule) || typeof rule.pattern !== "string") {
    throw new TypeError(
      `Expected every \`${kind}\` pattern of tool \`${toolName}\` to be ${hint}, got ${describe(rule)}`,
    )
  }
  const { pattern, workingDir, ...others } = rule
  for (const key of Object.keys(others)) {
    throw new TypeError(
      `Expected an allow rule of tool \`${toolName}\` to hold only \`pattern\` and \`workingDir\`, got \`${key}\``,
    )
  }
  if (workingDir === undefined) return { pattern: pattern as string }
  if (typeof workingDir !== "string" || workingDir === "") {
    throw new TypeError(
      `Expected \`workingDir\` of the allow rule \`${pattern}\` of tool \`${toolName}\` to be a folder, got ${workingDir === "" ? "an empty string" : describe(workingDir)}`,
    )
  }
  return { pattern: pattern as string, workingDir }
}

const compileList = (
  toolName: string,
  kind: Kind,
  patterns: unknown,
  source: string | undefined,
): Array<Rule> => {
  if (patterns === undefined) return []
  if (!Array.isArray(patterns)) {
    throw new TypeError(
      `Expected \`${kind}\` of tool \`${toolName}\` to be an array of patterns, got ${describe(patterns)}`,
    )
  }
  return patterns.map((rule: unknown) =>
    compileRule(toolName, kind, placedRule(toolName, kind, rule), source),
  )
}

const compileTool = (toolName: string, config: unknown, source: string | undefined): ToolRules => {
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
    allow: compileList(toolName, "allow", config.allow, source),
    deny: compileList(toolName, "deny", config.deny, source),
  }
}

/** A Map, so that a tool named `__proto__` is a name like any other. */
export const compileRules = (config: unknown, source?: string): Map<string, ToolRules> => {
  if (!isRecord(config)) {
    throw new TypeError(`Expected filters to be an object of rules by tool name, got ${describe(config)}`)
  }
  return new Map(Object.entries(config).map(([name, rules]) => [name, compileTool(name, rules, source)]))
}
