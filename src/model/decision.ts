/** Decisions about calls: the deciding parties, their questions and their reasons. Plain JSON, except for the functions. */
import type { ToolOutput } from "../output/output.ts"

/** The kinds of `DecidedBy` that can cancel a call. */
export type CancelledBy = "user" | "call" | "model" | "tool" | "shutdown"

/**
 * The party that decided. `user`: the host, usually for a person. `rule`: an allow or deny rule. `hook`: `beforeCall`. `reviewer`: one
 * of `reviewers`. `call`: the call's own input, such as `decision: "approve"` or an aborted signal. `timeout`: nobody decided in time.
 * `model`: a call of `cancel_background_task`. `tool`: another tool's handler, with `context.agent.cancel`. `shutdown`: the executor
 * was shut down.
 */
export interface DecidedBy {
  readonly kind: "rule" | "hook" | "reviewer" | "timeout" | CancelledBy
  /** For `user`: the person, if the host named one with `by`. */
  readonly id?: string
  /** For a gate that needs several approvals: everybody who approved, in order. The last one is `id`. */
  readonly approvedBy?: ReadonlyArray<string>
  /** The pattern of the rule. */
  readonly rule?: string
  /** The source of the rule: `remembered`, or the host's name for it. */
  readonly source?: string
  /** The folder in which the rule approved the call, links resolved, if the rule names one. The call's processes start there. */
  readonly folder?: string
  /** The text that the rule matched: a command of the line, a path, a text. */
  readonly command?: string
  /** The given reason, or the match of the rule as a sentence. */
  readonly reason?: string
}

/** The party that cancels a call. */
export type CancellingParty = DecidedBy & { readonly kind: CancelledBy }

/** The host, without a reason. */
export const byUser = { kind: "user" } as const satisfies DecidedBy
/** The call's own input. */
export const byCall = { kind: "call" } as const satisfies DecidedBy
/** The model, through one of its tools. */
export const byModel = { kind: "model" } as const satisfies DecidedBy
/** Another tool. */
export const byTool = { kind: "tool" } as const satisfies DecidedBy
/** The end of the executor. */
export const byShutdown = { kind: "shutdown" } as const satisfies DecidedBy
/** The end of a time limit. */
export const byTimeout: DecidedBy = { kind: "timeout" }

/** The reason as a string, because events are plain JSON; undefined for an empty one: null or "". */
export const reasonText = (reason: unknown): string | undefined =>
  reason === undefined || reason === null || reason === "" ? undefined : String(reason)

/** The host, with its reason and the person that it names. */
export const byUserBecause = (reason: string | undefined, id?: string): DecidedBy => {
  const said = reasonText(reason)
  if (said === undefined && id === undefined) return byUser
  return { kind: "user", ...(id !== undefined && { id }), ...(said !== undefined && { reason: said }) }
}

/** The question to a reviewer: a gate that no rule decided. */
export interface ReviewQuestion {
  readonly agentId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  readonly background: boolean
  readonly label?: string
  /** The output so far. */
  readonly preview?: ToolOutput
  /** Why no rule decided the gate. */
  readonly because: string
  /** The host's own data of the call. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A reviewer's verdict. `ask` leaves the decision to the next reviewer, and after the last one to the host. */
export interface Review {
  readonly verdict: "approve" | "deny" | "ask"
  /** The reason of a denial is shown to the model; the reason of `ask` is shown to the next reviewer or the host. */
  readonly reason?: string
}

/** Decides at gates in place of the host. A reviewer that throws or returns no verdict counts as `ask`. */
export type Reviewer = (
  question: ReviewQuestion,
  context: {
    /** Aborted when the call is cancelled or `approvalTimeout` is over before the reviewer has answered. */
    readonly signal: AbortSignal
  },
) => Review | Promise<Review>

/** The result of `decide`: what would happen to a call. Plain JSON. */
export interface CallDecision {
  /** `run`: nobody would be asked. `ask`: a gate of the plan would ask. `invalid`: the call could not run at all. */
  readonly verdict: "run" | "ask" | "deny" | "invalid"
  /** The reason: for `deny` and `invalid`, the text for the model; for `ask`, the text of `because`. */
  readonly reason?: string
  /** For `ask`: the number of gates in the plan that would ask, if more than one. */
  readonly gates?: number
  /** For `ask`: set if only a person passes the first of these gates. */
  readonly person?: true
  /** The party that decided, if any. */
  readonly by?: DecidedBy
  /** For a call of `resolve` that would ask: the preview that it would apply, to show beside the question. */
  readonly applies?: { readonly actionId: string; readonly preview?: ToolOutput }
  /** The parameters that would run: validated, coerced, and changed by a hook. For an invalid call, the original parameters. */
  readonly params: unknown
}

/** A decision about a call: each gate that it passed, each vote, each answer with `by`, and, once, how it ended. Plain JSON. */
export interface Decision {
  /** In epoch milliseconds. */
  readonly at: number
  readonly agentId: string
  readonly callId: string
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string
  readonly name: string
  readonly params: unknown
  /**
   * `approve`: the call passed a gate. `vote`: somebody approved, and more approvals are needed. `escalate`: the time of a gate
   * was over, and the gate was escalated. `answer`: a named person answered an effect. The others are ends of the call. `run`: it
   * ran, successfully or not. `deny`, `cancel`. `invalid`: it could not run.
   */
  readonly verdict: "approve" | "vote" | "escalate" | "answer" | "run" | "deny" | "cancel" | "invalid"
  /** The party that decided; for a call that ran, the party that decided its last gate. Absent if no decision was needed. */
  readonly by?: DecidedBy
}
