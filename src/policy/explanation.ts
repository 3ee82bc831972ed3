/** The decision of the rules on a call, and its reason. */

/** The decision of the rules; undefined asks. */
export type FilterDecision = "approve" | "deny" | undefined

/** The decision of the rules on a call, and its reason. Plain JSON. */
export interface Explanation {
  readonly verdict: "approve" | "deny" | "ask"
  /** The pattern that decided, if any; for a rule for exactly one call, the parameters. */
  readonly rule?: string
  /** The source of the rule: `remembered`, or the host's name for it. */
  readonly source?: string
  /** The text that the rule decided on: a command of the line, a path. */
  readonly command?: string
  /**
   * The folder that an approved call names, links resolved. The rule applies to this folder, wherever the name leads when the
   * call starts.
   */
  readonly folder?: string
  /** One sentence for people. */
  readonly because: string
}

/** A rule that decided. */
export interface DecidingRule {
  readonly pattern: string
  /** Set if the rule is for exactly one call. */
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

/** Joins the decisions on the parts of a call, of which there is at least one: denied if one part is, approved if all are. */
export const together = (explanations: ReadonlyArray<Explanation>): Explanation =>
  explanations.find(({ verdict }) => verdict === "deny") ??
  explanations.find(({ verdict }) => verdict === "ask") ??
  explanations[0]!
