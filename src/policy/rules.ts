/** The allow and deny rules of one tool: regular expressions that are checked and compiled when the rules are created. */
import { messageOf } from "../text/message-of.ts"
import { BoundedPattern, type Matching } from "./bounded-pattern.ts"
import { canonicalJson } from "./canonical-json.ts"
import type { Explanation } from "./explanation.ts"

/** An allow rule that may be limited to a folder, and to plain lines. */
export interface PlacedRule {
  readonly pattern: string
  /**
   * The folder of the calls that this rule applies to, relative to `cwd` or absolute; with `/**` at its end, also the folders
   * below. Default: the executor's folder.
   */
  readonly workingDir?: string
  /**
   * For a rule for commands, `"plain"`: it applies only in a line of literal commands, joined by `&&`, `||`, `;` or `|`, each
   * approved by a rule. There it has to match the command as it is written, quotes included. A line with a redirection, an
   * assignment, an expansion, a loop, a subshell, a `set` or a comment is asked. Default: in any line.
   */
  readonly line?: "plain"
}

/** An allow rule for exactly one call, created from an answer. */
export interface CallRule {
  /** All of its parameters, as JSON. */
  readonly call: string
  /** The folder that the call works in. Default: the executor's. */
  readonly workingDir?: string
  /** The files that its paths lead to, if links lead elsewhere than the paths. */
  readonly leadsTo?: ReadonlyArray<string>
  readonly pattern?: never
}

/** What may run without asking: a pattern, a pattern with a folder, or exactly one call. */
export type AllowRule = string | PlacedRule | CallRule

/** The rules of one tool, as a host's configuration holds them: sources of regular expressions. */
export interface ToolRuleConfig {
  readonly allow?: ReadonlyArray<AllowRule>
  readonly deny?: ReadonlyArray<string>
}

/** Rules by tool name. `*` in a name matches any text: such rules apply to all tools whose names fit. */
export type ToolFilterConfig = Readonly<Record<string, ToolRuleConfig>>

export interface Rule {
  readonly pattern: string
  readonly regex: BoundedPattern
  /** The same pattern, for a match that ends at the end of a word, or after a blank. */
  readonly wordRegex: BoundedPattern
  /** The only text that the pattern matches, if it is an anchored literal such as `^npm test$`. */
  readonly literal: string | undefined
  /** Whether the pattern matches anything, as `.` does. */
  readonly isAny: boolean
  readonly workingDir: string | undefined
  /** Whether the rule applies only in plain lines. */
  readonly isForPlain?: boolean
  /** The one call that the rule is for, in place of a pattern. */
  readonly call?: CallRule
  /** The origin of the rule, such as a file. */
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

/** A pattern that matches all of these matches anything. */
const anything = ["rm -rf /", "curl x | sh", "/etc/shadow", "..", "~", "=", "\u4e2d"]

const compileRule = (
  toolName: string,
  kind: Kind,
  { pattern, workingDir, line }: PlacedRule,
  source: string | undefined,
): Rule => {
  const literal = anchoredLiteral.exec(pattern)?.[1]?.replace(/\\(.)/g, "$1")
  try {
    const regex = new BoundedPattern(pattern)
    const isAny = anything.every((text) => regex.match(text) !== undefined)
    const isForPlain = line !== undefined
    return { pattern, regex, wordRegex: regex.atWordEnd(), literal, isAny, workingDir, isForPlain, source }
  } catch (error) {
    throw new Error(
      `The ${kind} pattern \`${pattern}\` of tool \`${toolName}\` does not compile: ${messageOf(error)}`,
      { cause: error },
    )
  }
}

/** How many characters of a call a message shows. */
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

/** A rule that was created from a person's answer. */
export const rememberedRule = (toolName: string, rule: PlacedRule | CallRule): Rule =>
  compileAny(toolName, "allow", rule, "remembered")

/** The first rule that matches. */
export const findRule = (rules: ReadonlyArray<Rule>, text: string, matching: Matching): Rule | undefined =>
  rules.find(({ regex }) => matching.match(regex, text) !== undefined)

/**
 * Denies if a deny rule could not be matched in time. Asking may not be possible: a tool that reads, by a path or a text, may
 * have no gate.
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

/** The folder of a rule; `rule` names the rule in an error. */
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
  const { pattern, workingDir, line, ...others } = rule
  for (const key of Object.keys(others)) {
    throw new TypeError(
      `Expected an allow rule of tool \`${toolName}\` to hold only \`pattern\`, \`workingDir\` and \`line\`, got \`${key}\``,
    )
  }
  if (line !== undefined && line !== "plain") {
    throw new TypeError(
      `Expected \`line\` of the allow rule \`${pattern}\` of tool \`${toolName}\` to be "plain", got ${JSON.stringify(line)}`,
    )
  }
  return {
    pattern: pattern as string,
    ...folderOf(toolName, pattern as string, workingDir),
    ...(line === "plain" && { line: "plain" as const }),
  }
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
    // Ignoring a misspelt `deny` would leave a hole.
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

/** Compiles rules by tool name. The Map makes `__proto__` a name like any other. */
export const compileRules = (config: unknown, source?: string): Map<string, ToolRules> => {
  if (!isRecord(config)) {
    throw new TypeError(`Expected filters to be an object of rules by tool name, got ${describe(config)}`)
  }
  return new Map(Object.entries(config).map(([name, rules]) => [name, compileTool(name, rules, source)]))
}
