/** The allow and deny rules of one tool: compiled regular expressions, checked when they are made. */

import { messageOf } from "../text/message-of.ts"
import { BoundedPattern, type Matching } from "./bounded-pattern.ts"
import { canonicalJson } from "./canonical-json.ts"
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

/** An allow rule for one very call, as an answer makes it. */
export interface CallRule {
  /** All of its parameters, as JSON. */
  readonly call: string
  /** The one folder that it works in. Default: the executor's. */
  readonly workingDir?: string
  /** The files that its paths lead to, where they lead elsewhere than they say: through links. */
  readonly leadsTo?: ReadonlyArray<string>
  readonly pattern?: never
}

/** What may run without asking: a pattern, one that says where it holds, or one very call. */
export type AllowRule = string | PlacedRule | CallRule

/** The rules of one tool, as a host's configuration holds them: sources of regular expressions. */
export interface ToolRuleConfig {
  readonly allow?: ReadonlyArray<AllowRule>
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
  /** Whether it matches whatever there is, as `.` does. */
  readonly isAny: boolean
  readonly workingDir: string | undefined
  /** The one call that it is for, instead of what a pattern matches. */
  readonly call?: CallRule
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

/** Texts that no one rule has in mind. */
const anything = ["rm -rf /", "curl x | sh", "/etc/shadow", "..", "~", "=", "\u4e2d"]

const compileRule = (
  toolName: string,
  kind: Kind,
  { pattern, workingDir }: PlacedRule,
  source: string | undefined,
): Rule => {
  const literal = anchoredLiteral.exec(pattern)?.[1]?.replace(/\\(.)/g, "$1")
  try {
    const regex = new BoundedPattern(pattern)
    const isAny = anything.every((text) => regex.match(text) !== undefined)
    return { pattern, regex, wordRegex: regex.atWordEnd(), literal, isAny, workingDir, source }
  } catch (error) {
    throw new Error(
      `The ${kind} pattern \`${pattern}\` of tool \`${toolName}\` does not compile: ${messageOf(error)}`,
      { cause: error },
    )
  }
}

/** Of a call that a sentence names, in characters. */
const maxShown = 200

const nothing = new BoundedPattern("(?!)")

const compileCall = (
  toolName: string,
  { workingDir, ...rule }: CallRule,
  source: string | undefined,
): Rule => {
  try {
    const call = { ...rule, call: canonicalJson(JSON.parse(rule.call)) }
    const shown = call.call.length <= maxShown ? call.call : `${call.call.slice(0, maxShown)}…`
    return {
      pattern: shown,
      regex: nothing,
      wordRegex: nothing,
      literal: undefined,
      isAny: false,
      workingDir,
      call,
      source,
    }
  } catch (error) {
    throw new Error(
      `The \`call\` of an allow rule of tool \`${toolName}\` is no JSON of parameters: ${messageOf(error)}`,
      { cause: error },
    )
  }
}

const compileAny = (
  toolName: string,
  kind: Kind,
  rule: PlacedRule | CallRule,
  source: string | undefined,
): Rule =>
  rule.pattern === undefined ? compileCall(toolName, rule, source) : compileRule(toolName, kind, rule, source)

/** A rule that a person's answer made. */
export const rememberedRule = (toolName: string, rule: PlacedRule | CallRule): Rule =>
  compileAny(toolName, "allow", rule, "remembered")

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

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((text) => typeof text === "string")

/** The folder of a rule that calls itself so. */
const folderOf = (toolName: string, rule: string, workingDir: unknown): { readonly workingDir?: string } => {
  if (workingDir === undefined) return {}
  if (typeof workingDir === "string" && workingDir !== "") return { workingDir }
  throw new TypeError(
    `Expected \`workingDir\` of the allow rule \`${rule}\` of tool \`${toolName}\` to be a folder, got ${workingDir === "" ? "an empty string" : describe(workingDir)}`,
  )
}

const callRule = (toolName: string, rule: Record<string, unknown>): CallRule => {
  const { call, workingDir, leadsTo, ...others } = rule
  const [other] = Object.keys(others)
  if (typeof call !== "string" || other !== undefined || !(leadsTo === undefined || isTexts(leadsTo))) {
    throw new TypeError(
      `Expected an allow rule of tool \`${toolName}\` for one call to be \`{ call, workingDir?, leadsTo? }\`, texts all, got ${other === undefined ? JSON.stringify(rule) : `\`${other}\``}`,
    )
  }
  return { call, ...folderOf(toolName, call, workingDir), ...(leadsTo !== undefined && { leadsTo }) }
}

const placedRule = (toolName: string, kind: Kind, rule: unknown): PlacedRule | CallRule => {
  if (typeof rule === "string") return { pattern: rule }
  if (kind === "allow" && isRecord(rule) && rule.call !== undefined) return callRule(toolName, rule)
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
  return { pattern: pattern as string, ...folderOf(toolName, pattern as string, workingDir) }
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
  return patterns.map((rule: unknown) => compileAny(toolName, kind, placedRule(toolName, kind, rule), source))
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
