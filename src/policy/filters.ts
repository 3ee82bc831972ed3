/**
 * What is approved or denied without asking. Deny wins over allow; whatever is not known for certain is asked.
 * A rule that allows an interpreter (`^python\b`, `^make\b`) allows what it runs.
 */
import { resolve } from "node:path"
import { readCommandLine, type SimpleCommand } from "./command-line.ts"
import { type PathForm, pathForms } from "./path-forms.ts"
import {
  allowRule,
  compileRules,
  literalPattern,
  type Rule,
  type ToolFilterConfig,
  type ToolRules,
} from "./rules.ts"

/** As much of a tool as filters look at. */
export interface FilteredTool {
  readonly name: string
  /** The parameter that rules match; without one they match `""`. */
  readonly primaryParam?: string | undefined
  readonly primaryKind: "command" | "path" | "text"
}

export type FilterDecision = "approve" | "deny" | undefined

export interface ToolFiltersOptions {
  /** Where relative paths start. Default: the process's working directory. */
  readonly cwd?: string | undefined
}

const noRules: ToolRules = { allow: [], deny: [] }

const some = (rules: ReadonlyArray<Rule>, text: string): boolean =>
  rules.some(({ regex }) => regex.test(text))

const evaluateText = ({ allow, deny }: ToolRules, text: string): FilterDecision => {
  if (some(deny, text)) return "deny"
  return some(allow, text) ? "approve" : undefined
}

const allowsCommand = (rules: ReadonlyArray<Rule>, { text, plain }: SimpleCommand): boolean =>
  rules.some(({ regex, literal }) => (literal === undefined ? regex.test(text) : plain && literal === text))

const evaluateCommand = ({ allow, deny }: ToolRules, source: string): FilterDecision => {
  const line = readCommandLine(source)
  if (deny.length > 0 && [...line.forms].some((form) => some(deny, form))) return "deny"
  if (line.unknown) return undefined
  if (allow.some(({ literal }) => literal === source)) return "approve"
  if (line.delicate || line.commands.length === 0) return undefined
  return line.commands.every((command) => allowsCommand(allow, command)) ? "approve" : undefined
}

const matchesForm = (rules: ReadonlyArray<Rule>, form: PathForm): boolean =>
  some(rules, form.relative) || some(rules, form.absolute)

const evaluatePath = ({ allow, deny }: ToolRules, path: string, cwd: string): FilterDecision => {
  const forms = pathForms(path, cwd)
  if (forms === undefined) return some(deny, path) ? "deny" : undefined
  const { spelled } = forms
  if (spelled.some((form) => matchesForm(deny, form))) return "deny"
  const allowed = spelled.every((form) => matchesForm(allow, form))
  // The disk is read only where the answer hangs on it.
  if (deny.length === 0 && !allowed) return undefined
  const real = forms.real()
  if (real === undefined) return undefined
  if (real.some((form) => matchesForm(deny, form))) return "deny"
  return allowed && real.every((form) => matchesForm(allow, form)) ? "approve" : undefined
}

const primaryOf = (name: string, params: unknown): string | undefined => {
  if (typeof params !== "object" || params === null || !Object.hasOwn(params, name)) return undefined
  const value = (params as Record<string, unknown>)[name]
  return typeof value === "string" ? value : undefined
}

/**
 * Allow and deny rules by tool.
 *
 * - A **command** is parsed as bash: every command of the line, at whatever depth, must match an allow pattern; one that
 *   matches a deny pattern is enough. A line that assigns, writes to a file or defines a function is approved only by a
 *   pattern that is that very line, such as `^FOO=1 npm test$`. Deny patterns also see the whole line as it is written.
 * - A **path** is matched relative to `cwd` and absolute, with `/` on every system, both as it is spelled and with its
 *   links resolved: an allow pattern must hold for both, a deny pattern for either.
 * - Anything else is matched as it is.
 */
export class ToolFilters {
  private readonly rules: Map<string, ToolRules>
  private readonly learned = new Map<string, Array<Rule>>()
  private readonly cwd: string

  private constructor(rules: Map<string, ToolRules>, cwd: string) {
    this.rules = rules
    this.cwd = cwd
  }

  /**
   * Throws for a pattern that is no regular expression, naming tool and pattern, and for anything but
   * `{ [tool]: { allow?: string[], deny?: string[] } }`.
   *
   * @example
   * ToolFilters.compile({ shell: { allow: ["^ls\\b"], deny: ["rm\\s+-rf"] } })
   */
  static compile(config: ToolFilterConfig, options: ToolFiltersOptions = {}): ToolFilters {
    return new ToolFilters(compileRules(config), resolve(options.cwd ?? ""))
  }

  /** Filters with no rules: everything is asked, until something is remembered. */
  static empty(options?: ToolFiltersOptions): ToolFilters {
    return ToolFilters.compile({}, options)
  }

  /** What the rules say of a call; undefined means ask. Never throws. */
  evaluate(tool: FilteredTool, params: unknown): FilterDecision {
    const rules = this.rules.get(tool.name)
    if (rules === undefined) return undefined
    try {
      const { primaryParam, primaryKind } = tool
      if (primaryParam === undefined) return evaluateText(rules, "")
      const primary = primaryOf(primaryParam, params)
      if (primary === undefined) return some(rules.deny, "") ? "deny" : undefined
      if (primaryKind === "command") return evaluateCommand(rules, primary)
      if (primaryKind === "path") return evaluatePath(rules, primary, this.cwd)
      return evaluateText(rules, primary)
    } catch {
      return undefined
    }
  }

  /**
   * Adds allow rules that approve this call again, and no other command line, path or text.
   * Gives false, and adds nothing, where no rule can: a deny rule matches, the command line cannot be known, the
   * parameter is missing.
   */
  remember(tool: FilteredTool, params: unknown): boolean {
    if (this.evaluate(tool, params) === "approve") return true
    const before = this.rules.get(tool.name)
    const added = this.patternsFor(tool, params).map((pattern) => allowRule(tool.name, pattern))
    const { allow, deny } = before ?? noRules
    this.rules.set(tool.name, { allow: [...allow, ...added], deny })
    if (this.evaluate(tool, params) === "approve") {
      this.learned.set(tool.name, [...(this.learned.get(tool.name) ?? []), ...added])
      return true
    }
    if (before === undefined) this.rules.delete(tool.name)
    else this.rules.set(tool.name, before)
    return false
  }

  /** The remembered rules, for hosts that keep them: `compile` reads them again. */
  remembered(): ToolFilterConfig {
    return Object.fromEntries(
      [...this.learned].map(([name, rules]) => [name, { allow: rules.map(({ pattern }) => pattern) }]),
    )
  }

  private patternsFor({ primaryParam, primaryKind }: FilteredTool, params: unknown): Array<string> {
    if (primaryParam === undefined) return [literalPattern("")]
    const primary = primaryOf(primaryParam, params)
    if (primary === undefined) return []
    if (primaryKind !== "path") return [literalPattern(primary)]
    const forms = pathForms(primary, this.cwd)
    const places = [...(forms?.spelled ?? []), ...(forms?.real() ?? [])]
    return [...new Set(places.map(({ absolute }) => literalPattern(absolute)))]
  }
}
