/** Decisions about calls: the deciding parties, their questions and their reasons. Plain JSON, except for the functions. */
import type { ToolOutput } from "../../output/output.ts"

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
  /** Of a `user`: the person, if the host named one with `by`. */
  readonly id?: string
  /** Of a gate that several people had to approve: all of them, in order. The last one is `id`. */
  readonly approvedBy?: ReadonlyArray<string>
  /** The pattern of the rule. */
  readonly rule?: string
  /** The source of the rule: `remembered`, or the host's name for it. */
  readonly source?: string
  /** The folder in which the rule approved the call, links resolved, if the rule names one. The call's processes start there. */
  readonly folder?: string
  /** What the rule matched: a command of the line, a path, a text. */
  readonly command?: string
  /** The reason that was given, or the match of the rule, as a sentence. */
  readonly reason?: string
}

/** The party that cancels a call. */
export type CancellingParty = DecidedBy & { readonly kind: CancelledBy }

/** The host, without a reason. */
export const byUser = { kind: "user" } as const satisfies DecidedBy
/** The call's own input. */
export const byCall = { kind: "call" } as const satisfies DecidedBy
/** The model, through a tool of its own. */
export const byModel = { kind: "model" } as const satisfies DecidedBy
/** Another tool. */
export const byTool = { kind: "tool" } as const satisfies DecidedBy
/** The end of the executor. */
export const byShutdown = { kind: "shutdown" } as const satisfies DecidedBy
/** The end of a time limit. */
export const byTimeout: DecidedBy = { kind: "timeout" }

/** What a reason says, for events are plain JSON; undefined for one that says nothing, as null and "" do. */
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
  /** Why no rule decided it. */
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
  /** Why: of a denial and of an invalid call what the model would be told, of `ask` what `because` would say. */
  readonly reason?: string
  /** Of `ask`: how many gates of the plan would ask, if more than one. */
  readonly gates?: number
  /** Of `ask`: set if only a person passes the first of them. */
  readonly person?: true
  /** Who decided, where somebody did. */
  readonly by?: DecidedBy
  /** Of a `resolve` that is to be asked about: the preview that it would apply, to show beside the question. */
  readonly applies?: { readonly actionId: string; readonly preview?: ToolOutput }
  /** As they would run: checked, coerced, and as a hook changed them. Of an invalid call, as they came. */
  readonly params: unknown
}

/** Something that was decided about a call: each gate that it passed, each vote, each answer under a name, and, once, how it ended. Plain JSON. */
export interface Decision {
  /** In epoch milliseconds. */
  readonly at: number
  readonly agentId: string
  readonly callId: string
  /** Of a nested call: the id of its outer call. */
  readonly parentId?: string
  readonly name: string
  readonly params: unknown
  /**
   * `approve`: it passed a gate. `vote`: somebody approved, and more people have to. `escalate`: its time at a gate was over, and it was asked further. `answer`: an effect was answered `by` somebody who was named. The rest are ends. `run`: it ran, well
   * or not. `deny`, `cancel`. `invalid`: it could not run.
   */
  readonly verdict: "approve" | "vote" | "escalate" | "answer" | "run" | "deny" | "cancel" | "invalid"
  /** Who decided; of a call that ran, its last gate. Not there where nobody had to. */
  readonly by?: DecidedBy
}
