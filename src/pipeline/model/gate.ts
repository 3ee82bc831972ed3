/** The gates of pipelines: what may be said of one, and what is kept of it while it is open. */
import type { ReviewQuestion } from "./decision.ts"
import { expectFlag, expectFunction, expectSpelled, got, toCount } from "./got.ts"

/** Whether somebody may answer a gate. `by`: who answers. A throw counts as false. */
export type Approvers = (by: string, question: ReviewQuestion) => boolean

/** What is kept of a gate's options while it asks. Plain JSON. */
export interface GateTerms {
  /** Set if an answer needs `by`. */
  readonly named?: true
  /** How many different people have to approve, if more than one. */
  readonly quorum?: number
}

/** A gate: the pipeline stops here until somebody decides. */
export interface GatePart {
  readonly kind: "approval"
  readonly name: string
  readonly label: string | undefined
  /** Whether only the host's answer passes it. */
  readonly person?: boolean
  readonly approvers?: Approvers | undefined
  readonly terms?: GateTerms | undefined
}

/** The options of `awaitApproval`. */
export interface ApprovalOptions {
  /** The question in a few words, which hosts show with the call. */
  readonly label?: string
  /**
   * Whether only the host's answer passes the gate: no allow rule, no reviewer and no `decision: "approve"` does, and no rule is added
   * for the call. Default false; true with `approvers` or a `quorum`.
   */
  readonly person?: boolean
  /** Who may answer, by the `by` of an answer. Another answer, or one without `by`, leaves the gate open. Default: everybody. */
  readonly approvers?: Approvers
  /** How many different people have to approve. One denial denies. Default 1. */
  readonly quorum?: number
}

const optionNames: ReadonlyArray<keyof ApprovalOptions> = ["label", "person", "approvers", "quorum"]

/** The default gate, shared by all pipelines. */
export const plainGate: GatePart = Object.freeze({
  kind: "approval",
  name: "awaitApproval",
  label: undefined,
  person: false,
})

const termsOf = ({ approvers, quorum }: ApprovalOptions): GateTerms | undefined => {
  const count = toCount("quorum", quorum ?? undefined, 1, " of `awaitApproval`")
  if (typeof approvers !== "function" && count === 1) return undefined
  return { named: true, ...(count > 1 && { quorum: count }) }
}

/** Makes a gate. Throws a TypeError for options that cannot be meant. */
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

/** Throws a TypeError for options of `Step.AwaitApproval` that only a gate of a pipeline may have: a handler's gate is not composed again. */
export const expectOfStep = (options: object): void => {
  expectSpelled("`Step.AwaitApproval`", options, ["label", "person"])
  for (const name of optionNames.slice(2)) {
    if (name in options)
      throw new TypeError(
        `\`Step.AwaitApproval\` has no option \`${name}\`: use \`awaitApproval\` of a pipeline`,
      )
  }
}
