/** The events that an executor emits. Plain JSON, except for the answer functions and `cause`. */

import type { GivenOutput, ToolOutput } from "../output/output.ts"
import type { ReadResultParams, readResultName } from "../output/read-result.ts"
import type { RememberChoice } from "../policy/index.ts"
import type { ResolveParams, resolveName } from "../resolve/definition.ts"
import type { CancelledBy, DecidedBy } from "./decision.ts"
import { expectBy, expectOptions } from "./got.ts"
import type { HostEffect } from "./host-effect.ts"
import type { AnyTools, ToolTypes } from "./tool-types.ts"

/** Options of an answer. */
export interface AnswerOptions {
  /** The person who answers, reported as `decidedBy`: a non-empty id. Any other value is a TypeError. */
  readonly by?: string
}

/** The options of an approval. */
export interface ApproveOptions extends AnswerOptions {
  /** Runs the call again with these parameters, past the gate. */
  readonly params?: unknown
  /** Passed to the following handlers as `resolution.reason`. */
  readonly reason?: string
  /**
   * Also adds an allow rule that fits the call as it then runs. `true` means `"call"`: the same call, with all its parameters, in
   * its folder. `"command"`: each command of its line, also alone. `"tool"`: everything that an allow rule `.*` approves.
   * `{ rule }`: everything that this pattern matches, if it matches the call. If no such rule fits the call, the call is still
   * approved, and no rule is added: see `executor.wouldRemember`.
   */
  readonly remember?: boolean | RememberChoice
}

/**
 * For `deny`: the host has nobody to ask, or cannot continue. The gate is then denied, no matter who may answer it. Compared by
 * identity.
 */
export const unattended: AnswerOptions = Object.freeze({})

const approvalKeys: ReadonlyArray<keyof ApproveOptions> = ["params", "reason", "remember", "by"]

/** Throws a TypeError for any other object, such as bare parameters, which would otherwise be ignored. */
export const expectApproval = (options: unknown): void => {
  if (typeof options !== "object" || options === null) return
  expectOptions("approve", options, approvalKeys)
  const { by } = options as AnswerOptions
  if (by !== undefined) expectBy(by)
}

/** Throws a TypeError for options of `deny` or `respond` that are not an options object, and for an invalid `by`. */
export const expectAnswerOptions = (of: string, options: unknown): void => {
  if (options === undefined || options === null) return
  expectOptions(of, options, ["by"])
  expectBy((options as AnswerOptions).by)
}

/** Describes a result that was cut because it is too large for the model. The tool `read_result` reads its full text. */
export interface BoundedResult {
  /** The size of the full result, in bytes of UTF-8. */
  readonly bytes: number
  /** The `call_id` for `read_result`. */
  readonly callId: string
}

/** How a finished task or call ended. */
export type FinalStatus = "complete" | "error" | "denied" | "cancelled"

/**
 * Why a call ended as an Error. `failed`: a handler, a hook or `compose` failed. `invalid`: the parameters do not fit the schema,
 * or the tool cannot run in the background. `duplicate`: the call id is in use. `withheld`: the turn had to resolve a preview.
 * `poisoned`: the call's processes ended again and again while its handler ran. `truncated`: the model's answer was cut. `limit`:
 * a limit of the executor was reached. `diverged`: a handler that ran again after a crash made another nested call, or one with
 * other parameters, than before at the same position.
 */
export type ErrorReason =
  | "failed"
  | "invalid"
  | "unknown-tool"
  | "duplicate"
  | "timeout"
  | "withheld"
  | "poisoned"
  | "limit"
  | "truncated"
  | "diverged"

/** Why a handler failed: on its own, or because something that it waited for took too long. */
export type FailureReason = Extract<ErrorReason, "failed" | "timeout">

/** Who denied a call: the user, a rule or a hook (`policy`), or `approvalTimeout` (`expired`). */
export type DeniedBy = "user" | "policy" | "expired"

interface AnyEvent {
  /** The sequence number among all events of this executor, for all receivers. Merged deltas leave gaps. */
  readonly seq: number
  /** When the event was emitted, in epoch milliseconds. */
  readonly at: number
}

interface CallEvent extends AnyEvent {
  /** The agent that made the call. */
  readonly agentId: string
  /** The id of the call, unique in this executor. */
  readonly callId: string
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string
}

/** The call has its turn, its parameters are valid, and its first handler runs next. */
export interface StartedEvent extends CallEvent {
  readonly _tag: "Started"
  /** The name of the tool. */
  readonly name: string
  /** The parameters, as validated. */
  readonly params: unknown
  /** Whether the call runs as a background task. */
  readonly background: boolean
}

/** The call waits at a gate until it is approved or denied: here, or by id. */
export interface AwaitingApprovalEvent extends CallEvent {
  readonly _tag: "AwaitingApproval"
  /** The name of the tool. */
  readonly name: string
  /** The parameters that run if the gate is approved without edits. */
  readonly params: unknown
  /** Whether the call runs as a background task. */
  readonly background: boolean
  /** What the gate is for, in the words of the tool. */
  readonly label?: string
  /** The output so far: what the host shows before it decides. */
  readonly preview?: ToolOutput
  /** Why a decision is needed, according to rules and reviewers. May quote text from the model: see `visibleText`. */
  readonly because: string
  /** Set if only a person may answer: hosts that approve everything automatically have to leave this gate out. */
  readonly person?: true
  /** Set if an answer needs `by`: only some people may answer, or several have to approve. */
  readonly named?: true
  /** How many different people have to approve, if more than one. */
  readonly quorum?: number
  /** Who has approved so far, if more have to. */
  readonly approvedBy?: ReadonlyArray<string>
  /**
   * Returns whether the answer took effect: a gate is decided once. An answer from somebody who is not allowed to answer, or a
   * second approval by the same person, has no effect; `executor.answer` reports why. An approval takes effect even if more
   * approvals are needed.
   */
  approve(options?: ApproveOptions): boolean
  /** Ends the call as Denied. The model reads the reason. Returns whether the answer took effect. */
  deny(reason?: string, options?: AnswerOptions): boolean
}

/** The time of an open gate is nearly over. `at` is the time at which the gate ends, not the time of the event. */
export interface GateExpiringEvent extends CallEvent {
  readonly _tag: "GateExpiring"
  /** Set if the gate's time was over and the gate was escalated: it waits again, until `at`. */
  readonly escalated?: true
}

/** The call asks the host for an effect, and waits until it is answered: here, or by id with `respond`. */
export interface DelegateEvent extends CallEvent {
  readonly _tag: "Delegate"
  /** The call that staged the action that this call applies or cleans up after: the effects of both belong together. */
  readonly sourceCallId?: string
  /** The effect that the host should carry out, identified by its `_tag`. */
  readonly effect: HostEffect
  /** Returns whether the answer took effect: an effect is answered once. The answer, if any, becomes the output. */
  succeed(output?: GivenOutput): boolean
  /** Ends the handler that asked with an Error of this message. Returns whether the answer took effect. */
  fail(message: string): boolean
}

/** Text that the call streamed. Past `eventBuffer`, unread deltas of a call are merged. */
export interface DeltaEvent extends CallEvent {
  readonly _tag: "Delta"
  /** The text since the last delta. */
  readonly content: string
  /** Structured progress, if the tool reports any. */
  readonly partial?: unknown
}

interface EndEvent extends CallEvent {
  /** The name of the tool. */
  readonly name: string
  /** The text for the model. */
  readonly content: string
  /** The party that denied or cancelled the call; otherwise the party that decided its last gate, if any. */
  readonly decidedBy?: DecidedBy
  /** Finally handlers that failed: `<handler>: <message>`. */
  readonly cleanupErrors?: ReadonlyArray<string>
  /** Set if the result was cut to `maxOutputBytes`. */
  readonly bounded?: BoundedResult
  /** Set if the result is that of an earlier call with the same idempotency key, and nothing was run. */
  readonly deduplicated?: true
}

interface StagedName {
  readonly actionId: string
  readonly label: string
}

/** The call succeeded. */
export interface CompletedEvent extends EndEvent {
  readonly _tag: "Completed"
  /** The content blocks, and data for renderers. `content` is its text. */
  readonly output: ToolOutput
  /** Set if the call staged a pending action. */
  readonly staged?: StagedName
  /** The parameters that ran, if the host edited them. */
  readonly editedParams?: unknown
}

/** The call failed, or could not run. */
export interface ErrorEvent extends EndEvent {
  readonly _tag: "Error"
  /** The kind of failure. */
  readonly reason: ErrorReason
  /** The output before the failure. */
  readonly output?: ToolOutput
  /** For the host's logs; not plain JSON. */
  readonly cause?: unknown
  /** Set if the call had staged a pending action before a hook called its result an error. */
  readonly staged?: StagedName
  /** The parameters that ran, if the host edited them. */
  readonly editedParams?: unknown
}

/** The call was denied. `by` names the deciding party. */
export interface DeniedEvent extends EndEvent {
  readonly _tag: "Denied"
  /** The deciding party. */
  readonly by: DeniedBy
  /** The original parameters of a call that was denied before `Started`. Absent if a store cannot keep them. */
  readonly params?: unknown
}

/** The call was cancelled. `by` names the cancelling party. `content` is the reason, followed by the output before the cancel. */
export interface CancelledEvent extends EndEvent {
  readonly _tag: "Cancelled"
  /** The cancelling party. */
  readonly by: CancelledBy
}

/** The call continues as a background task. The task id is the call id. */
export interface BackgroundStartedEvent extends CallEvent {
  readonly _tag: "BackgroundStarted"
  /** The name of the tool. */
  readonly name: string
}

/** Why a call ended, who decided, and whether its result was cut. */
export interface EndReason {
  /** Why the call failed. */
  readonly reason?: ErrorReason
  /** Who denied or cancelled the call. */
  readonly by?: DeniedBy | CancelledBy
  /** The party that denied or cancelled the call; otherwise the party that decided its last gate, if any. */
  readonly decidedBy?: DecidedBy
  /** For the host's logs; not plain JSON. */
  readonly cause?: unknown
  /** Set if the result was cut to `maxOutputBytes`. */
  readonly bounded?: BoundedResult
  /** Set if the result is that of an earlier call with the same idempotency key, and nothing was run. */
  readonly deduplicated?: true
}

/** How a background task ended, without its output. */
export interface TaskEnd extends EndReason {
  /** The parameters that ran, if the host edited them. */
  readonly editedParams?: unknown
  /** Set if the task staged a pending action. */
  readonly staged?: StagedName
  /** Set if finally handlers of the task failed. */
  readonly cleanupErrors?: ReadonlyArray<string>
}

/** A background task has ended. `tasks` keeps the result until it is taken. */
export interface BackgroundCompletedEvent extends CallEvent, TaskEnd {
  readonly _tag: "BackgroundCompleted"
  /** The name of the tool. */
  readonly name: string
  /** How the task ended. */
  readonly status: FinalStatus
  /** When the task was enqueued, in epoch milliseconds. */
  readonly createdAt: number
  /** When its first handler started, in epoch milliseconds. */
  readonly startedAt?: number
  /** When it ended, in epoch milliseconds. */
  readonly endedAt: number
}

interface ActionEvent extends AnyEvent {
  /** The agent whose model may resolve the action. */
  readonly agentId: string
  /** The id of the pending action. */
  readonly actionId: string
  /** What the action does, in the words of its tool. */
  readonly label: string
  /** The tool that staged the action; `custom_tool` for an action that was pushed without a name. */
  readonly sourceToolName: string
}

/** A preview waits to be applied or discarded with `resolve`. */
export interface ActionPendingEvent extends ActionEvent {
  readonly _tag: "ActionPending"
  /** Set if applying an action staged the rest of its pipeline: the call that staged the first action. */
  readonly sourceCallId?: string
}

/** The action is over, and its finally handlers have run. */
export interface ActionResolvedEvent extends ActionEvent {
  readonly _tag: "ActionResolved"
  /** `dropped`: the action was neither applied nor discarded, because it was cleared or the executor shut down. */
  readonly outcome: "applied" | "discarded" | "dropped"
  /** The person who applied or discarded the action, if the host named one with `by` of `resolve`. */
  readonly decidedBy?: DecidedBy
  /**
   * Finally handlers of a dropped action that failed: `<handler>: <message>`. Those of other actions are in the events of their
   * `resolve` calls.
   */
  readonly cleanupErrors?: ReadonlyArray<string>
}

/** A call's last event, unless it became a background task. */
export type TerminalEvent = CompletedEvent | ErrorEvent | DeniedEvent | CancelledEvent

/** The events of the calls of one tool, with its name and parameter types. */
type EventOfTool<T extends ToolTypes> =
  T extends ToolTypes<infer Name, infer Input, infer Structured>
    ?
        | (StartedEvent & { readonly name: Name; readonly params: Input })
        | (AwaitingApprovalEvent & { readonly name: Name; readonly params: Input })
        | (CompletedEvent & {
            readonly name: Name
            readonly output: ToolOutput<Structured>
            readonly editedParams?: Input
          })
    : never

type EventOfAny = StartedEvent | AwaitingApprovalEvent | CompletedEvent

/** The events of the tools that every executor has; `read_result` has no gate. */
type EventOfOwnTool =
  | EventOfTool<ToolTypes<typeof resolveName, ResolveParams>>
  | Exclude<EventOfTool<ToolTypes<typeof readResultName, ReadResultParams>>, AwaitingApprovalEvent>

/**
 * If one of the tools can have any name, the name does not determine the type of `params`. A registry that is created empty gets
 * its tools later.
 */
type EventOfCall<T extends ToolTypes> = [T] extends [never]
  ? EventOfAny
  : string extends T["name"]
    ? EventOfAny
    : EventOfTool<T> | EventOfOwnTool

/**
 * Every event that an executor emits, by `_tag`. If the types of the tools are known (`ToolEvent<typeof noteTool>`), `name`
 * determines the type of `params`.
 */
export type ToolEvent<T extends ToolTypes = AnyTools> =
  | EventOfCall<T>
  | GateExpiringEvent
  | DelegateEvent
  | DeltaEvent
  | Exclude<TerminalEvent, CompletedEvent>
  | BackgroundStartedEvent
  | BackgroundCompletedEvent
  | ActionPendingEvent
  | ActionResolvedEvent

/** The result of `run`. */
export interface ToolResult<Structured = unknown> extends EndReason {
  /** `background`: the call continues as a task. */
  readonly status: FinalStatus | "background"
  /** The text for the model. */
  readonly content: string
  /** The content blocks, the structured output, and data for renderers. */
  readonly output: ToolOutput<Structured>
  /** Whether the call ended as error, denied or cancelled. */
  readonly isError: boolean
  /** The id of the task that the call became, which is the call id. */
  readonly taskId?: string
  /** The tool asks the host to end the model's turn. */
  readonly terminate?: boolean
}
