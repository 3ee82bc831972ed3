/** Who decides about a call, what is asked of them, and why. All but the functions is plain JSON. */
import type { ToolOutput } from "../../output/output.ts"

/** Who ended a call from outside: those of `DecidedBy` that can. */
export type CancelledBy = "user" | "call" | "model" | "tool" | "shutdown"

/**
 * Who decided. `user`: the host, for whom a person may stand. `rule`: an allow or deny rule. `hook`: `beforeCall`.
 * `reviewer`: one of `reviewers`. `call`: what its caller said beforehand, such as `decision: "approve"` or an aborted
 * signal. `timeout`: nobody did in time. `model`: a call of `cancel_background_task`. `tool`: another tool's handler, with
 * `context.agent.cancel`. `shutdown`: the executor was shut down.
 */
export interface DecidedBy {
  readonly kind: "rule" | "hook" | "reviewer" | "timeout" | CancelledBy
  /** The pattern of the rule. */
  readonly rule?: string
  /** Where that rule comes from: `remembered`, or what the host called it. */
  readonly source?: string
  /** The folder that the rule approved the call in, links resolved, where it names one. What it starts starts there. */
  readonly folder?: string
  /** What the rule matched: a command of the line, a path, a text. */
  readonly command?: string
  /** What was said with it, or what the rule matched, as a sentence. */
  readonly reason?: string
}

/** Who ends a call from outside. */
export type CancellingParty = DecidedBy & { readonly kind: CancelledBy }

/** The host, without a word. */
export const byUser = { kind: "user" } as const satisfies DecidedBy
/** What the call's own caller said beforehand. */
export const byCall = { kind: "call" } as const satisfies DecidedBy
/** The model, through a tool of its own. */
export const byModel = { kind: "model" } as const satisfies DecidedBy
/** Another tool. */
export const byTool = { kind: "tool" } as const satisfies DecidedBy
/** The end of the executor. */
export const byShutdown = { kind: "shutdown" } as const satisfies DecidedBy
/** Nobody, in time. */
export const byTimeout: DecidedBy = { kind: "timeout" }

/** What a reason says, for events are plain JSON; undefined for one that says nothing, as null and "" do. */
export const reasonText = (reason: unknown): string | undefined =>
  reason === undefined || reason === null || reason === "" ? undefined : String(reason)

/** The host, and what it said. */
export const byUserBecause = (reason: string | undefined): DecidedBy => {
  const said = reasonText(reason)
  return said === undefined ? byUser : { kind: "user", reason: said }
}

/** What a reviewer is asked: a gate that no rule decided. */
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
  /** What the host put into the call. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** What a reviewer says. `ask`: it leaves it to the next one, and after the last to the host. */
export interface Review {
  readonly verdict: "approve" | "deny" | "ask"
  /** Of a denial, told to the model; of `ask`, shown to who decides. */
  readonly reason?: string
}

/** Decides at gates in place of the host. A throw, and what is no verdict, asks on. */
export type Reviewer = (
  question: ReviewQuestion,
  context: {
    /** Aborted when the call is cancelled, or `approvalTimeout` is over, while the reviewer thinks. */
    readonly signal: AbortSignal
  },
) => Review | Promise<Review>

/** What would happen to a call, as `decide` tells it. Plain JSON. */
export interface CallDecision {
  /** `run`: nobody would be asked. `ask`: a gate of its plan would be. `invalid`: it could not run at all. */
  readonly verdict: "run" | "ask" | "deny" | "invalid"
  /** Why: of a denial and of an invalid call what the model would be told, of `ask` what `because` would say. */
  readonly reason?: string
  /** Who decided, where somebody did. */
  readonly by?: DecidedBy
  /** Of a `resolve` that is to be asked about: the preview that it would apply, for whoever asks to show. */
  readonly applies?: { readonly actionId: string; readonly preview?: ToolOutput }
  /** As they would run: checked, coerced, and as a hook changed them. Of an invalid call, as they came. */
  readonly params: unknown
}

/** Something that was decided about a call: each gate that it passed, and, once, how it ended. Plain JSON. */
export interface Decision {
  /** In epoch milliseconds. */
  readonly at: number
  readonly agentId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  /**
   * `approve`: it passed a gate. The rest are ends. `run`: it ran, well or not. `deny`, `cancel`. `invalid`: it could not run.
   */
  readonly verdict: "approve" | "run" | "deny" | "cancel" | "invalid"
  /** Who decided; of a call that ran, its last gate. Not there where nobody had to. */
  readonly by?: DecidedBy
}
