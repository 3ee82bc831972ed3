/** What the rules say of a call, and why. */

/** What rules say of a call; undefined asks. */
export type FilterDecision = "approve" | "deny" | undefined

/** Plain JSON. */
export interface Explanation {
  readonly verdict: "approve" | "deny" | "ask"
  /** The pattern that decided, where one did; or the parameters of the one call that an allow rule is for. */
  readonly rule?: string
  /** Where that rule comes from: `remembered`, or what the host called it. */
  readonly source?: string
  /** What it decided on: a command of the line, a path. */
  readonly command?: string
  /**
   * The folder that an approved call works in, links resolved, where it names one: the rule speaks of no other, whatever the
   * name leads to by the time that the call starts.
   */
  readonly folder?: string
  /** One sentence for people. */
  readonly because: string
}

/** A pattern that decided. */
export interface DecidingRule {
  readonly pattern: string
  /** Set where it is for one very call. */
  readonly call?: unknown
  readonly source: string | undefined
}

export const ask = (because: string, command?: string): Explanation => ({
  verdict: "ask",
  ...(command !== undefined && { command }),
  because,
})

const decided = (
  verdict: "approve" | "deny",
  { pattern, source, call }: DecidingRule,
  command: string,
): Explanation => ({
  verdict,
  rule: pattern,
  ...(source !== undefined && { source }),
  command,
  because:
    call !== undefined
      ? `An allow rule is for this very call: \`${pattern}\`.`
      : `The ${verdict === "deny" ? "deny" : "allow"} rule \`${pattern}\` matches \`${command}\`.`,
})

export const deniedBy = (rule: DecidingRule, command: string): Explanation => decided("deny", rule, command)
export const approvedBy = (rule: DecidingRule, command: string): Explanation =>
  decided("approve", rule, command)

/** Of several things that one call does: denied if one is, approved if all are. There is at least one. */
export const together = (explanations: ReadonlyArray<Explanation>): Explanation =>
  explanations.find(({ verdict }) => verdict === "deny") ??
  explanations.find(({ verdict }) => verdict === "ask") ??
  explanations[0]!
