/** What the rules of another agent become here. Never more is allowed than there: what cannot be said here is asked. */
import type { AllowRule, PlacedRule, ToolFilterConfig } from "../rules.ts"

/** What became of a rule of another agent. */
export interface ImportedRule {
  /** As it stands there. */
  readonly source: string
  readonly kind: "allow" | "ask" | "deny"
  /**
   * `same`: it decides about the same calls. `narrower`: less runs unasked here than there, so of a deny rule that more is denied.
   * `asked`: its calls are asked here. `dropped`: no rule was made of it.
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

/** What a rule becomes: the reason is a sentence. */
export type Outcome = Pick<ImportedRule, "status" | "because">

/** A regular expression without its anchors. */
export interface Body {
  readonly body: string
  /** The text that each match begins with. */
  readonly head: string
  /** Whether the head is all that it matches. */
  readonly isExact?: boolean
  /** Of a path: whether it matches absolute paths, and no relative ones. */
  readonly isAbsolute?: boolean
}

/** What is to be asked though it is allowed. */
export interface Exception extends Body {
  readonly source: string
  /** Whether it holds for everything that begins with its head and a blank. */
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

/** Whether an exception leaves nothing of what is allowed, or it cannot be told what it leaves. */
const takesAll = (exception: Exception, allowed: Body): boolean => {
  if ((exception.isAbsolute === true) !== (allowed.isAbsolute === true)) return true
  if (allowed.isExact) return matches(exception, allowed)
  return exception.isPrefix === true && `${allowed.head} `.startsWith(`${exception.head.trimEnd()} `)
}

/** Collects what the rules of one source become. */
export class Importing {
  private readonly report: Array<Entry> = []
  private readonly allowed = new Map<string, Array<Allowed>>()
  private readonly denied = new Map<string, Set<string>>()
  private readonly exceptions = new Map<string, Array<Exception>>()
  private readonly unsure = new Map<string, string>()

  /** Adds a rule of the source. `work` says what becomes of it. */
  add(source: string, kind: ImportedRule["kind"], work: (entry: ImportedRule) => Outcome): void {
    const entry: Entry = { source, kind, status: "same" }
    this.report.push(entry)
    Object.assign(entry, work(entry))
  }

  /** @param entry What became of the rule, which may become less later. */
  allow(tool: string, body: Body, entry: ImportedRule, line?: "plain"): void {
    const list = this.allowed.get(tool) ?? []
    list.push({ ...body, entry: entry as Entry, ...(line !== undefined && { line }) })
    this.allowed.set(tool, list)
  }

  deny(tool: string, pattern: string): void {
    this.denied.set(tool, (this.denied.get(tool) ?? new Set()).add(pattern))
  }

  /** What a tool is allowed is asked where this matches. */
  except(tool: string, exception: Exception): void {
    this.exceptions.set(tool, [...(this.exceptions.get(tool) ?? []), exception])
  }

  /** Nothing that a tool is allowed counts, for a rule that takes something from it cannot be said. @param source That rule. */
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
