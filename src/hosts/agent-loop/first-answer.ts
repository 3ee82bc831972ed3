/**
 * The approval that an SDK got before a call answers only the gate that the SDK asked about: the first in the call's plan
 * that no rule passes. Any other gate asks anew.
 */

import type { AwaitingApprovalEvent } from "../../model/event.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { approveOrEnd } from "../named-gate.ts"

/** What a person answered: yes, yes with other parameters, or no. */
export type LoopAnswer = "approve" | { readonly params: unknown } | { readonly deny: string | undefined }

/** An answer that the SDK got. */
export interface GivenApproval {
  readonly answer: Exclude<LoopAnswer, { readonly deny: string | undefined }>
  /** Whether it was given to the tool once and for all, so that no person has answered for this call. */
  readonly isStanding: boolean
  /** Why the SDK had to ask; undefined if another process requested it. */
  readonly because: string | undefined
  /** The person who gave it. */
  readonly by: string | undefined
}

/** Answers at most one gate of a call. */
export class FirstAnswer {
  private readonly executor: Pick<ToolExecutor, "inspectCall" | "answer">
  private approval: GivenApproval | undefined
  /** Whether the approval was used. */
  isGiven = false

  /** `approval` is undefined if the SDK got none. */
  constructor(executor: Pick<ToolExecutor, "inspectCall" | "answer">, approval: GivenApproval | undefined) {
    this.executor = executor
    this.approval = approval
  }

  /** Answers the gate if it is the one that the SDK asked about. */
  answers(gate: AwaitingApprovalEvent): boolean {
    const { approval } = this
    if (approval === undefined || !this.covers(gate, approval)) return false
    this.approval = undefined
    this.isGiven = true
    const { answer, by } = approval
    const who = by === undefined ? undefined : { by }
    if (answer === "approve") return who === undefined ? approveOrEnd(gate) : gate.approve(who)
    const [outcome] = this.executor.answer([{ callId: gate.callId, question: gate, approve: answer }], who)
    // Nobody can correct the parameters any more, so the model reads what is wrong with them.
    return outcome?.took === true || gate.deny(outcome?.why)
  }

  private covers(gate: AwaitingApprovalEvent, { isStanding, because }: GivenApproval): boolean {
    if (isStanding && gate.person === true) return false
    const { plan = [], part = 0, decidedBy } = this.executor.inspectCall(gate.callId) ?? {}
    // Before the call, only the plan was known, which does not contain gates that handlers ask for.
    if (plan[part]?.kind !== "approval") return false
    if (!plan.slice(0, part).some(({ kind }) => kind === "approval")) return true
    // Rules passed the earlier gates, also when the SDK had to ask, so the SDK did not ask about one of those.
    return decidedBy?.kind === "rule" && (because === undefined || because === gate.because)
  }
}
