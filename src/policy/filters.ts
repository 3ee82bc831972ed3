/**
 * Decides which calls are approved or denied without asking. Deny wins over allow; anything uncertain is asked. A rule that
 * allows an interpreter (`^python\b`, `^make\b`) allows everything that the interpreter runs.
 */
import { resolve } from "node:path"
import { loadCommands } from "#commands"
import { messageOf } from "../text/message-of.ts"
import { namesMatching } from "../text/name-pattern.ts"
import { Matching } from "./bounded-pattern.ts"
import { type CallFolder, callFolder, holdsIn } from "./call-folder.ts"
import { findCallRule, placeIn } from "./call-rules.ts"
import { ask, deniedBy, type Explanation, type FilterDecision, together } from "./explanation.ts"
import type { Place } from "./path-forms.ts"
import { decidePath } from "./path-rules.ts"
import { isNamed, type RememberChoice, rulesFor } from "./remembering.ts"
import { appendRules, readRules } from "./rule-file.ts"
import { warningsOf } from "./rule-warnings.ts"
import {
  type AllowRule,
  compileRules,
  findRule,
  type Rule,
  rememberedRule,
  type ToolFilterConfig,
  type ToolRules,
} from "./rules.ts"
import { type FilteredTool, type Subject, subjectsOf } from "./subjects.ts"
import { decideText } from "./text-rules.ts"
import { expectTools } from "./tool-names.ts"

/** The options of `ToolFilters`. */
export interface ToolFiltersOptions {
  /** The source of these rules, as named in `explain` and `warnings`, such as a file. */
  readonly source?: string | undefined
  /** The folder that relative paths in rules start in. Default: the executor's; without an executor, the process's. */
  readonly cwd?: string | undefined
  /** Called with the rules that an approval added, for hosts that keep them. Its errors are ignored. */
  readonly onRemember?: ((added: ToolFilterConfig) => void) | undefined
  /**
   * Called with a sentence for each deny rule that names no tool of a new executor, if this may be intended: the rule has a
   * `source`, or the executor has no tools yet. Default: a process warning.
   */
  readonly onUnknownTool?: ((warning: string) => void) | undefined
}

const warnProcess = (warning: string): void =>
  process.emitWarning(warning, { type: "SteplineWarning", code: "STEPLINE_UNKNOWN_TOOL" })

const noRules: ToolRules = { allow: [], deny: [] }

/** A value that should have been a string is never approved, but deny rules are applied to the strings in it. */
const decideUnreadable = (
  { deny }: ToolRules,
  subject: Subject & { kind: "unreadable" },
  matching: Matching,
) => {
  for (const text of subject.texts) {
    const rule = findRule(deny, text, matching)
    if (rule !== undefined) return deniedBy(rule, text)
  }
  return ask(subject.because)
}

/** A deny rule that cannot be checked denies: asking instead would let a person approve what the rule forbids. */
const notLoaded = ({ deny }: ToolRules, line: string, error: unknown): Explanation => {
  const [message] = messageOf(error).split("\n")
  const because = `What decides on command lines cannot be loaded: ${message}`
  return deny.length === 0 ? ask(because, line) : { verdict: "deny", command: line, because }
}

const decideCommand = (
  rules: ToolRules,
  line: string,
  place: Place,
  folder: CallFolder,
  matching: Matching,
  allowed: Rule | undefined,
): Explanation => {
  let commands: ReturnType<typeof loadCommands>
  try {
    commands = loadCommands()
  } catch (error) {
    return notLoaded(rules, line, error)
  }
  return new commands.CommandRules(rules, place, folder, matching).decide(line, allowed)
}

/** Asks if a pattern was too slow: a deny rule that could not be matched in time may apply. */
const unlessSlow = (explanation: Explanation, { slow }: Matching): Explanation => {
  const [pattern] = slow
  if (pattern === undefined || explanation.verdict === "deny") return explanation
  return ask(`The pattern \`${pattern}\` takes too long to match this call.`)
}

const inFolder = (explanation: Explanation, { real }: CallFolder): Explanation =>
  explanation.verdict === "approve" && real !== undefined ? { ...explanation, folder: real } : explanation

const configOf = ({ pattern, workingDir, call }: Rule): AllowRule => {
  if (call === undefined) return workingDir === undefined ? pattern : { pattern, workingDir }
  return workingDir === undefined ? call : { ...call, workingDir }
}

const isPattern = (name: string): boolean => name.includes("*")

const joined = (all: ReadonlyArray<ToolRules>): ToolRules => ({
  allow: all.flatMap(({ allow }) => allow),
  deny: all.flatMap(({ deny }) => deny),
})

/** Shared by the filters of several executors. */
interface Shared {
  readonly rules: Map<string, ToolRules>
  readonly learned: Map<string, Array<Rule>>
  /** The keys of `rules` that contain `*`, each with a function that tests whether a name fits. */
  readonly patterns: Map<string, (name: string) => boolean>
  readonly cwd: string | undefined
  readonly onRemember: ToolFiltersOptions["onRemember"]
  readonly onUnknownTool: (warning: string) => void
}

/**
 * Allow and deny rules by tool. `*` in the name of a tool matches any text.
 *
 * - A **command** is parsed as bash: every command of the line, at any depth, must match an allow pattern, from its first word to
 *   the end of a word; the line is denied if one command matches a deny pattern. Words after the match pass if the program is
 *   known; for any other program the pattern has to reach the end of the command. A line that assigns a variable that may affect
 *   a program, writes to a file or defines a function is approved only by a pattern that is the whole line, such as
 *   `^PATH=. npm test$`. Deny patterns are also matched against the whole line as written.
 * - An allow rule applies in the executor's folder. For a call that works in another folder, or a line with `cd`, it must name
 *   that folder: `{ pattern: "^npm test$", workingDir: "packages/a" }`, or `packages/**` to include all folders below it.
 * - A **path** is matched relative to `cwd` and absolute, with `/` on every system, both as it is spelled and with its links
 *   resolved: an allow pattern must match both, a deny pattern either. If there are several paths, each is matched.
 * - Any other text is matched unchanged. A URL is matched as it is spelled and as it is fetched, with `..` and `%2e` resolved as
 *   a server does: an allow pattern must match both, a deny pattern either.
 *
 * Patterns run in bounded time: if one would take longer, the call is asked, but denied if it is a deny pattern for a path or a
 * text.
 */
export class ToolFilters {
  private readonly shared: Shared
  private readonly place: Place

  private constructor(shared: Shared, cwd: string | undefined) {
    this.shared = shared
    const start = resolve(cwd ?? shared.cwd ?? "")
    this.place = { start, base: resolve(shared.cwd ?? start) }
  }

  /**
   * Throws for a pattern that is not a regular expression, naming its tool, and for anything but
   * `{ [tool]: { allow?: (string | { pattern, workingDir? } | { call, workingDir? })[], deny?: string[] } }`.
   *
   * @example
   * ToolFilters.compile({ shell: { allow: ["^ls\\b"], deny: ["rm\\s+-rf"] } })
   */
  static compile(config: ToolFilterConfig, options: ToolFiltersOptions = {}): ToolFilters {
    const { cwd, source, onRemember, onUnknownTool = warnProcess } = options
    const none = { rules: new Map(), learned: new Map(), patterns: new Map() }
    const filters = new ToolFilters({ ...none, cwd, onRemember, onUnknownTool }, cwd)
    filters.add(config, source)
    return filters
  }

  /** Filters without rules: every call is asked until a rule is remembered. */
  static empty(options?: ToolFiltersOptions): ToolFilters {
    return ToolFilters.compile({}, options)
  }

  /** The same rules, including those that are remembered later, for an executor whose relative paths start at `cwd`. */
  at(cwd: string): ToolFilters {
    return new ToolFilters(this.shared, cwd)
  }

  /**
   * Loads the rules of a TOML file as `save` writes it, which the command's `--config` reads too; no rules if the file is
   * missing. Rejects, naming the file, if it cannot be read.
   */
  static async load(path: string, options: ToolFiltersOptions = {}): Promise<ToolFilters> {
    return ToolFilters.compile(await readRules(path), { source: path, ...options })
  }

  /**
   * Adds the remembered rules to a file, which is created if it is missing. Processes that save at the same time keep each
   * other's rules.
   */
  save(path: string): Promise<void> {
    return appendRules(path, this.remembered())
  }

  /** Adds rules of another source. Throws as `compile` does, and then adds none. */
  add(config: ToolFilterConfig, source?: string): void {
    const { rules, patterns } = this.shared
    for (const [name, added] of compileRules(config, source)) {
      rules.set(name, joined([rules.get(name) ?? noRules, added]))
      if (isPattern(name)) patterns.set(name, namesMatching([name]))
    }
  }

  /** Warnings for hosts to show: about allow patterns that match everything, or that have `^` in only some alternatives. */
  get warnings(): ReadonlyArray<string> {
    return warningsOf(this.shared.rules)
  }

  /**
   * Called when an executor with these tools is created. Throws a TypeError for a rule that names none of them and has no
   * `source`.
   */
  expectTools(tools: ReadonlyArray<string>): void {
    expectTools(this.shared.rules, tools, this.shared.onUnknownTool)
  }

  /** The decision on a call; undefined means ask. Never throws. */
  evaluate(tool: FilteredTool, params: unknown): FilterDecision {
    const { verdict } = this.explain(tool, params)
    return verdict === "ask" ? undefined : verdict
  }

  /** The decision of `evaluate`, and its reason. Never throws. */
  explain(tool: FilteredTool, params: unknown): Explanation {
    const rules = this.rulesOf(tool)
    if (rules === undefined) return ask(`There is no rule for the tool \`${tool.name}\`.`)
    const matching = new Matching()
    try {
      const folder = callFolder(tool, params, this.place)
      const allowed = this.callRule(rules, tool, params, folder)
      const explanation = together(
        subjectsOf(tool, params).map((subject) => this.decide(rules, subject, folder, matching, allowed)),
      )
      return inFolder(unlessSlow(explanation, matching), folder)
    } catch {
      return ask("It is not certain what the call does.")
    }
  }

  /** Whether a deny rule of the tool matches a file that a call found in a folder. */
  deniesPath(toolName: string, path: string): boolean {
    const rules = this.rulesOf({ name: toolName })
    if (rules === undefined || rules.deny.length === 0) return false
    const matching = new Matching()
    return decidePath({ ...rules, allow: [] }, path, this.place, matching).verdict === "deny"
  }

  /**
   * Adds allow rules that approve this call again: by default only this call, with all its parameters, in its folder. Returns
   * false, and adds nothing, if no rule can: a deny rule matches, the command line cannot be understood, the parameter is
   * missing, or the given rule is not a pattern or does not match the call. Never throws.
   */
  remember(tool: FilteredTool, params: unknown, choice: RememberChoice = "call"): boolean {
    const { rules, learned, onRemember } = this.shared
    const added = this.approving(tool, params, choice)
    if (added === undefined) return false
    if (added.length === 0) return true
    const { allow, deny } = rules.get(tool.name) ?? noRules
    rules.set(tool.name, { allow: [...allow, ...added], deny })
    learned.set(tool.name, [...(learned.get(tool.name) ?? []), ...added])
    try {
      onRemember?.({ [tool.name]: { allow: added.map(configOf) } })
    } catch {
      // The rule is remembered nevertheless.
    }
    return true
  }

  /** The rules that `remember` would add, for a host to show; undefined if no rule can approve the call again. */
  rememberable(
    tool: FilteredTool,
    params: unknown,
    choice: RememberChoice = "call",
  ): ReadonlyArray<AllowRule> | undefined {
    return this.approving(tool, params, choice)?.map(configOf)
  }

  /** The remembered rules, for hosts that keep them themselves: pass them to `compile`. */
  remembered(): ToolFilterConfig {
    return Object.fromEntries(
      [...this.shared.learned].map(([name, rules]) => [name, { allow: rules.map(configOf) }]),
    )
  }

  /** The rules that would approve this call, which are added only to test them; none if the call is approved already. */
  private approving(tool: FilteredTool, params: unknown, choice: RememberChoice): Array<Rule> | undefined {
    const isApproved = this.evaluate(tool, params) === "approve"
    if (isApproved && !isNamed(choice)) return []
    const { rules } = this.shared
    const before = rules.get(tool.name)
    const { allow, deny } = before ?? noRules
    try {
      const added = rulesFor(choice, tool, params, this.place).map((rule) => rememberedRule(tool.name, rule))
      // A rule that a person wrote has to match the call by itself, even if other rules approve the call.
      rules.set(tool.name, { allow: isApproved ? added : [...allow, ...added], deny })
      return this.evaluate(tool, params) === "approve" ? added : undefined
    } catch {
      return undefined
    } finally {
      if (before === undefined) rules.delete(tool.name)
      else rules.set(tool.name, before)
    }
  }

  /** The rules that apply to a tool by its names, and by patterns for names. */
  private rulesOf({ name, ruleNames = [] }: Pick<FilteredTool, "name" | "ruleNames">): ToolRules | undefined {
    const { rules, patterns } = this.shared
    const own = rules.get(name)
    if (ruleNames.length === 0 && patterns.size === 0) return own
    const names = [name, ...ruleNames]
    const wide = [...patterns].flatMap(([pattern, fits]) => (names.some(fits) ? [pattern] : []))
    const found = [...names.filter((each) => !isPattern(each)), ...wide].flatMap(
      (key) => rules.get(key) ?? [],
    )
    return found.length === 0 ? undefined : joined(found)
  }

  /** Parameters that are not JSON belong to no remembered call. */
  private callRule(
    { allow }: ToolRules,
    tool: FilteredTool,
    params: unknown,
    folder: CallFolder,
  ): Rule | undefined {
    try {
      return findCallRule(allow, tool, params, folder, this.place)
    } catch {
      return undefined
    }
  }

  private decide(
    rules: ToolRules,
    subject: Subject,
    folder: CallFolder,
    matching: Matching,
    allowed: Rule | undefined,
  ): Explanation {
    const { place } = this
    if (subject.kind === "command") {
      return decideCommand(rules, subject.text, place, folder, matching, allowed)
    }
    const allow = rules.allow.filter((rule) => holdsIn(rule, folder, place))
    const rulesHere: ToolRules = { ...rules, allow }
    switch (subject.kind) {
      case "path":
        return decidePath(rulesHere, subject.text, placeIn(folder, place), matching, allowed)
      case "text":
        return decideText(rulesHere, subject.text, matching, allowed)
      case "unreadable":
        return decideUnreadable(rules, subject, matching)
    }
  }
}
