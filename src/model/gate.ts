/** The gates of pipelines: their options, and the data of an open gate. */
import type { ReviewQuestion } from "./decision.ts"
import { toMillis } from "./duration.ts"
import { expectFlag, expectFunction, expectSpelled, got, toCount } from "./got.ts"
import type { Mutable } from "./mutable.ts"
import type { DurationInput } from "./step.ts"

/** Returns whether a person may answer a gate. `by`: the id of that person. A throw counts as false. */
export type Approvers = (by: string, question: ReviewQuestion) => boolean

/** The terms of a gate, kept while it asks. Plain JSON. */
export interface GateTerms {
  /** Set if an answer needs `by`. */
  readonly named?: true
  /** How many different people have to approve, if more than one. */
  readonly quorum?: number
  /** How long the gate waits, in milliseconds. Default: the executor's `approvalTimeout`. */
  readonly timeout?: number
  /** How long before the gate's end `GateExpiring` is emitted, in milliseconds. */
  readonly warn?: number
  readonly escalates?: true
}

/** A gate: the pipeline stops here until somebody decides. */
export interface GatePart {
  readonly kind: "approval"
  readonly name: string
  readonly label: string | undefined
  /** Whether only the host's answer passes the gate. */
  readonly person?: boolean
  readonly approvers?: Approvers | undefined
  readonly terms?: GateTerms | undefined
}

/** The options of `awaitApproval`. */
export interface ApprovalOptions {
  /** The question in a few words, which hosts show with the call. */
  readonly label?: string
  /**
   * Whether only the host's answer passes the gate: no allow rule, reviewer or `decision: "approve"` passes it, and `remember`
   * adds no rule for the call. Default false; true with `approvers` or a `quorum` above 1.
   */
  readonly person?: boolean
  /**
   * Who may answer, by the `by` of the answer. An answer from anybody else, or without `by`, leaves the gate open. Default:
   * everybody.
   */
  readonly approvers?: Approvers
  /** How many different people have to approve. A single denial denies the call. Default 1. */
  readonly quorum?: number
  /** How long the gate waits. Default: the executor's `approvalTimeout`. */
  readonly timeout?: DurationInput
  /** How long before the end of this time `GateExpiring` is emitted. Default: no warning. */
  readonly warn?: DurationInput
  /**
   * What happens when the time is over. `"escalate"`: the executor's `onEscalate` is called, and the gate waits for the same time
   * again before it is denied. Default `"deny"`.
   */
  readonly onTimeout?: "deny" | "escalate"
}

const optionNames: ReadonlyArray<keyof ApprovalOptions> = [
  "label",
  "person",
  "approvers",
  "quorum",
  "timeout",
  "warn",
  "onTimeout",
]

/** The default gate, shared by all pipelines. */
export const plainGate: GatePart = Object.freeze({
  kind: "approval",
  name: "awaitApproval",
  label: undefined,
  person: false,
})

const termsOf = ({ approvers, quorum, timeout, warn, onTimeout }: ApprovalOptions): GateTerms | undefined => {
  const count = toCount("quorum", quorum ?? undefined, 1, " of `awaitApproval`")
  const terms: Mutable<GateTerms> = {}
  if (typeof approvers === "function" || count > 1) terms.named = true
  if (count > 1) terms.quorum = count
  if (timeout !== undefined) terms.timeout = toMillis("timeout", timeout)
  if (warn !== undefined) terms.warn = toMillis("warn", warn)
  if (onTimeout === "escalate") terms.escalates = true
  else if (onTimeout !== undefined && onTimeout !== "deny")
    throw new TypeError(
      `Expected \`onTimeout\` of \`awaitApproval\` to be \`deny\` or \`escalate\`, ${got(onTimeout)}`,
    )
  if (terms.timeout !== undefined && terms.warn !== undefined && terms.warn >= terms.timeout)
    throw new TypeError("Expected `warn` of `awaitApproval` to be shorter than its `timeout`")
  return Object.keys(terms).length === 0 ? undefined : terms
}

/** Makes a gate. Throws a TypeError for invalid options. */
export const gatePart = (options: ApprovalOptions): GatePart => {
  if (options === null) return plainGate
  if (typeof options !== "object")
    throw new TypeError(`Expected the options of \`awaitApproval\` to be an object, ${got(options)}`)
  const { label, person, approvers } = options
  expectSpelled("`awaitApproval`", options, optionNames)
  if (label !== undefined && typeof label !== "string")
    throw new TypeError("Expected `label` of `awaitApproval` to be a string")
  expectFlag("person", person, " of `awaitApproval`")
  expectFunction("approvers", approvers, " of `awaitApproval`")
  const terms = termsOf(options)
  const gate = { kind: "approval", name: "awaitApproval", label, person: person === true } as const
  if (terms === undefined) return gate
  return {
    ...gate,
    person: person === true || terms.named === true,
    approvers: approvers ?? undefined,
    terms,
  }
}
