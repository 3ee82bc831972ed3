/**
 * Converts the rules of another agent. The result never allows more than the original: a rule that cannot be expressed
 * here asks.
 */
import type { AllowRule, PlacedRule, ToolFilterConfig } from "../rules.ts"

/** The outcome of converting one rule of another agent. */
export interface ImportedRule {
  /** The rule as written in the source. */
  readonly source: string
  readonly kind: "allow" | "ask" | "deny"
  /**
   * `same`: it decides the same calls. `narrower`: fewer calls run without asking than in the original, so a deny rule denies
   * more. `asked`: its calls are asked here. `dropped`: it became no rule.
   */
  readonly status: "same" | "narrower" | "asked" | "dropped"
  /** A sentence; absent for `same`. */
  readonly because?: string
}

/** The rules of another agent as rules of this library. Plain JSON. */
export interface ImportedRules {
  /** For `ToolFilters.compile`, or for a file of `--rules`. */
  readonly rules: ToolFilterConfig
  /** Each rule, in the order of the source. */
  readonly report: ReadonlyArray<ImportedRule>
}

/** The outcome of a rule: the reason is a sentence. */
export type Outcome = Pick<ImportedRule, "status" | "because">

/** A regular expression without its anchors. */
export interface Body {
  readonly body: string
  /** The text that each match begins with. */
  readonly head: string
  /** Whether the head is the only text that it matches. */
  readonly isExact?: boolean
  /** For a path: whether it matches only absolute paths. */
  readonly isAbsolute?: boolean
}

/** Calls that are asked although they are allowed. */
export interface Exception extends Body {
  readonly source: string
  /** Whether it applies to every text that begins with its head and a blank. */
  readonly isPrefix?: boolean
}

interface Allowed extends Body {
  readonly line?: "plain"
  readonly entry: Entry
}

type Entry = { -readonly [Key in keyof ImportedRule]: ImportedRule[Key] }

const overlap = (exception: Exception, allowed: Body): boolean => {
  if ((exception.isAbsolute === true) !== (allowed.isAbsolute === true)) return false
  if (allowed.isExact) return matches(exception, allowed)
  return exception.head.startsWith(allowed.head) || allowed.head.startsWith(exception.head)
}

const matches = ({ body }: Exception, { head }: Body): boolean => new RegExp(`^(?:${body})`).test(head)

/** Whether an exception leaves nothing of an allow rule, or what it leaves cannot be determined. */
const takesAll = (exception: Exception, allowed: Body): boolean => {
  if ((exception.isAbsolute === true) !== (allowed.isAbsolute === true)) return true
  if (allowed.isExact) return matches(exception, allowed)
  return exception.isPrefix === true && `${allowed.head} `.startsWith(`${exception.head.trimEnd()} `)
}

/** Collects the converted rules of one source. */
export class Importing {
  private readonly report: Array<Entry> = []
  private readonly allowed = new Map<string, Array<Allowed>>()
  private readonly denied = new Map<string, Set<string>>()
  private readonly exceptions = new Map<string, Array<Exception>>()
  private readonly unsure = new Map<string, string>()

  /** Adds a rule of the source. `work` returns its outcome. */
  add(source: string, kind: ImportedRule["kind"], work: (entry: ImportedRule) => Outcome): void {
    const entry: Entry = { source, kind, status: "same" }
    this.report.push(entry)
    Object.assign(entry, work(entry))
  }

  /** @param entry The outcome of the rule, which may be reduced later. */
  allow(tool: string, body: Body, entry: ImportedRule, line?: "plain"): void {
    const list = this.allowed.get(tool) ?? []
    list.push({ ...body, entry: entry as Entry, ...(line !== undefined && { line }) })
    this.allowed.set(tool, list)
  }

  deny(tool: string, pattern: string): void {
    this.denied.set(tool, (this.denied.get(tool) ?? new Set()).add(pattern))
  }

  /** Asks for calls of a tool that this matches, although they are allowed. */
  except(tool: string, exception: Exception): void {
    this.exceptions.set(tool, [...(this.exceptions.get(tool) ?? []), exception])
  }

  /**
   * Ignores everything that a tool is allowed, because a deny or ask rule for it cannot be expressed. @param source That rule.
   */
  leaveAsked(tool: string, source: string): void {
    this.unsure.set(tool, source)
  }

  result(): ImportedRules {
    const rules: Record<string, { allow?: Array<AllowRule>; deny?: Array<string> }> = {}
    for (const [tool, list] of this.allowed) {
      const allow = list.flatMap((allowed) => this.ruleOf(tool, allowed) ?? [])
      if (allow.length > 0) rules[tool] = { allow }
    }
    for (const [tool, deny] of this.denied) rules[tool] = { ...rules[tool], deny: [...deny] }
    return { rules, report: this.report }
  }

  private ruleOf(tool: string, { entry, body, line, ...about }: Allowed): PlacedRule | undefined {
    const unsure = this.unsure.get(tool)
    const exceptions = this.exceptions.get(tool) ?? []
    const whole = exceptions.find((exception) => takesAll(exception, { body, ...about }))
    if (unsure !== undefined || whole !== undefined) {
      entry.status = "asked"
      entry.because = `What \`${unsure ?? whole!.source}\` takes from it cannot be told, so all of it is asked.`
      if (unsure === undefined && whole!.isPrefix)
        entry.because = `\`${whole!.source}\` asks about all of it.`
      return undefined
    }
    const within = exceptions.filter((exception) => overlap(exception, { body, ...about }))
    if (within.length > 0 && entry.status === "same") {
      entry.status = "narrower"
      entry.because = `What ${within.map(({ source }) => `\`${source}\``).join(", ")} asks about is left out of it.`
    }
    const without = within.map((exception) => `(?!${exception.body})`).join("")
    return { pattern: `^${without}${body}$`, ...(line !== undefined && { line }) }
  }
}
