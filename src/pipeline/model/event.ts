/** The events that an executor emits. Plain JSON, except for the answer functions and `cause`. */

import type { GivenOutput, ToolOutput } from "../../output/output.ts"
import type { ReadResultParams, readResultName } from "../../output/read-result.ts"
import type { RememberChoice } from "../../policy/index.ts"
import type { ResolveParams, resolveName } from "../../resolve/definition.ts"
import type { CancelledBy, DecidedBy } from "./decision.ts"
import { expectBy, expectOptions } from "./got.ts"
import type { HostEffect } from "./host-effect.ts"
import type { AnyTools, ToolTypes } from "./tool-types.ts"

/** Options of an answer. */
export interface AnswerOptions {
  /** The person who answers, for `decidedBy`: an id that is not empty. Another value is a TypeError. */
  readonly by?: string
}

/** An approval's answer. */
export interface ApproveOptions extends AnswerOptions {
  /** Runs the call again with these parameters, past the gate. */
  readonly params?: unknown
  /** Passed to the following handlers as `resolution.reason`. */
  readonly reason?: string
  /**
   * Also adds an allow rule that fits the call as it then runs. `true` is `"call"`: this very one, with all its
   * parameters, in its folder. `"command"`: each command of its line, also alone. `"tool"`: what an allow rule `.*` approves. `{ rule }`: what this pattern matches, the call among it. Where no
   * such rule fits the call it is approved all the same, and nothing is remembered: see `executor.wouldRemember`.
   */
  readonly remember?: boolean | RememberChoice
}

/**
 * For `deny`: the host has nobody to ask, or cannot go on. The gate is then denied, whoever may answer it. Only this very object says so.
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

/** Throws a TypeError for options of `deny` or `respond` that are none, and for a `by` that names nobody. */
export const expectAnswerOptions = (of: string, options: unknown): void => {
  if (options === undefined || options === null) return
  expectOptions(of, options, ["by"])
  expectBy((options as AnswerOptions).by)
}

/** What is left out of a result that is too large for the model. The tool `read_result` reads its text. */
export interface BoundedResult {
  /** Bytes of UTF-8 of the whole result. */
  readonly bytes: number
  /** What `read_result` takes as `call_id`. */
  readonly callId: string
}

/** How a finished task or call ended. */
export type FinalStatus = "complete" | "error" | "denied" | "cancelled"

/**
 * Why a call ended as an Error. `failed`: a handler, a hook or `compose` failed. `invalid`: the parameters do not fit the schema,
 * or the tool cannot run in the background. `duplicate`: the call id is in use. `withheld`: the turn had to resolve a preview.
 * `poisoned`: the call's processes ended again and again while its handler ran. `truncated`: the model's answer was cut. `limit`: a
 * limit of the executor was used up. `diverged`: a handler that ran again after a crash called another tool, or with other parameters,
 * than at the same place before.
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
  /** Of a nested call: the id of its outer call. */
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
   * Returns whether the answer took effect: a gate is decided once. An answer of somebody who may not, or who approves a second time,
   * does not; `executor.answer` says why. An approval that is not enough yet does.
   */
  approve(options?: ApproveOptions): boolean
  /** Ends the call as Denied. The model reads the reason. Returns whether the answer took effect. */
  deny(reason?: string, options?: AnswerOptions): boolean
}

/** The time of an open gate is nearly over. `at` is when, not when the event was emitted. */
export interface GateExpiringEvent extends CallEvent {
  readonly _tag: "GateExpiring"
  /** Set if its time was over, and it was escalated: it waits once more until `at`. */
  readonly escalated?: true
}

/** The call asks the host for an effect, and waits until it is answered: here, or by id with `respond`. */
export interface DelegateEvent extends CallEvent {
  readonly _tag: "Delegate"
  /** The call that staged the action that this call applies or cleans up after: the effects of both belong together. */
  readonly sourceCallId?: string
  /** What the host should do, told apart by its `_tag`. */
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
  /** Who denied or cancelled it; else, who decided the last gate that it passed, where there was one. */
  readonly decidedBy?: DecidedBy
  /** Finally handlers that failed: `<handler>: <message>`. */
  readonly cleanupErrors?: ReadonlyArray<string>
  /** Set where the result was cut to `maxOutputBytes`. */
  readonly bounded?: BoundedResult
  /** Set where an earlier call with the same idempotency key gave the result, and nothing was run. */
  readonly deduplicated?: true
}

interface StagedName {
  readonly actionId: string
  readonly label: string
}

/** The call succeeded. */
export interface CompletedEvent extends EndEvent {
  readonly _tag: "Completed"
  /** The content blocks, and what is for renderers. `content` is its text. */
  readonly output: ToolOutput
  /** Set where the call staged a pending action. */
  readonly staged?: StagedName
  /** The parameters that ran, where the host edited them. */
  readonly editedParams?: unknown
}

/** The call failed, or was never run because it could not be. */
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
  /** The parameters that ran, where the host edited them. */
  readonly editedParams?: unknown
}

/** The call was denied. `by` names the deciding party. */
export interface DeniedEvent extends EndEvent {
  readonly _tag: "Denied"
  /** The deciding party. */
  readonly by: DeniedBy
  /** As they came, of a call that was denied before its `Started` told them. Absent in a store that cannot keep them. */
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
  /** Why it failed. */
  readonly reason?: ErrorReason
  /** Who denied or cancelled it. */
  readonly by?: DeniedBy | CancelledBy
  /** Who denied or cancelled it; else, who decided the last gate that it passed, where there was one. */
  readonly decidedBy?: DecidedBy
  /** For the host's logs; not plain JSON. */
  readonly cause?: unknown
  /** Set where the result was cut to `maxOutputBytes`. */
  readonly bounded?: BoundedResult
  /** Set where an earlier call with the same idempotency key gave the result, and nothing was run. */
  readonly deduplicated?: true
}

/** How a background task ended, besides its output. */
export interface TaskEnd extends EndReason {
  /** The parameters that ran, where the host edited them. */
  readonly editedParams?: unknown
  /** Set where the task staged a pending action. */
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
  /** The tool that staged the action; `custom_tool` for one that was pushed without a name. */
  readonly sourceToolName: string
}

/** A preview waits to be applied or discarded with `resolve`. */
export interface ActionPendingEvent extends ActionEvent {
  readonly _tag: "ActionPending"
  /** Where applying an action has staged the rest of its pipeline: the call that staged the first. */
  readonly sourceCallId?: string
}

/** The action is over, and its finally handlers have run. */
export interface ActionResolvedEvent extends ActionEvent {
  readonly _tag: "ActionResolved"
  /** `dropped`: it was neither applied nor discarded, because it was cleared or the executor shut down. */
  readonly outcome: "applied" | "discarded" | "dropped"
  /** The person who applied or discarded it, where the host has named one with `by` of `resolve`. */
  readonly decidedBy?: DecidedBy
  /** Finally handlers of a dropped action that failed: `<handler>: <message>`. Those of others are in the event of their `resolve`. */
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

/** Among tools of which one may have any name, no name tells what `params` are. A registry made of none gets its tools later. */
type EventOfCall<T extends ToolTypes> = [T] extends [never]
  ? EventOfAny
  : string extends T["name"]
    ? EventOfAny
    : EventOfTool<T> | EventOfOwnTool

/**
 * Every event that an executor emits, by `_tag`. Where the tools are known by their types (`ToolEvent<typeof noteTool>`), `name` tells
 * what `params` are.
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
  /** The content blocks, the structured output, and what is for renderers. */
  readonly output: ToolOutput<Structured>
  /** Whether the call ended as error, denied or cancelled. */
  readonly isError: boolean
  /** The id of the task that the call became, which is the call id. */
  readonly taskId?: string
  /** The tool asks the host to end the model's turn. */
  readonly terminate?: boolean
}
