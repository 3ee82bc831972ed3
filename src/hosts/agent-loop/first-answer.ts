/**
 * The approval that an SDK got before a call, as the answer to the one gate that it was asked for: the first of the call's plan
 * that rules do not pass. What comes to another gate is asked anew.
 */
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { AwaitingApprovalEvent } from "../../pipeline/model/event.ts"

/** What is known of an approval. */
export interface GivenApproval {
  /** Whether it was given to the tool once and for all, and no person has answered for this call. */
  readonly isStanding: boolean
  /** Why the SDK was told to ask; undefined where another process told it. */
  readonly because: string | undefined
}

/** Answers a gate of a call, at most one. */
export class FirstAnswer {
  private readonly executor: Pick<ToolExecutor, "inspectCall">
  private approval: GivenApproval | undefined
  /** Whether it was used. */
  isGiven = false

  /** `approval`: undefined where there is none. */
  constructor(executor: Pick<ToolExecutor, "inspectCall">, approval: GivenApproval | undefined) {
    this.executor = executor
    this.approval = approval
  }

  /** Approves the gate where it is the one that was asked for. */
  answers(gate: AwaitingApprovalEvent): boolean {
    const { approval } = this
    if (approval === undefined || !this.isMeant(gate, approval)) return false
    this.approval = undefined
    this.isGiven = true
    return gate.approve()
  }

  private isMeant(gate: AwaitingApprovalEvent, { isStanding, because }: GivenApproval): boolean {
    if (isStanding && gate.person === true) return false
    const { plan = [], part = 0, decidedBy } = this.executor.inspectCall(gate.callId) ?? {}
    // A handler's own gate is not in the plan, which is all that was looked at before.
    if (plan[part]?.kind !== "approval") return false
    if (!plan.slice(0, part).some(({ kind }) => kind === "approval")) return true
    // Rules passed the gates before it, and did so already when the SDK was told to ask: it was not asked for one of those.
    return decidedBy?.kind === "rule" && (because === undefined || because === gate.because)
  }
}
