/** The operations on the calls of a store, for the process that runs them and for every other process that has the store open. */

import type { EnqueueOptions, ToolCallInput } from "../model/call.ts"
import type { AnswerOptions, ApproveOptions } from "../model/event.ts"
import type { AnswerOutcome, ListedAnswer } from "../pipeline/questions/answer-list.ts"
import type { ResolveParams } from "../resolve/definition.ts"
import type { DurableTasks } from "./durable-tasks.ts"
import type { EventsOptions } from "./event-log.ts"
import type { AnswerItem, AskedQuestion, InboxItem, InboxOptions, WaitingCall } from "./inbox.ts"
import type { PoisonedCall } from "./poisoned.ts"
import type { EffectAnswer } from "./requests.ts"
import type { StoredEvent } from "./stored-event.ts"

/** Options of `resolve`. */
export interface ResolveOptions {
  /** The agent whose pending action is resolved. Default `main`. */
  readonly agentId?: string
  /** The person who decides, reported as `decidedBy`. */
  readonly by?: string
  /** Aborting it stops the wait for the outcome; the call of `resolve` continues. */
  readonly signal?: AbortSignal
}

/**
 * The calls of a store. Each promise resolves once the change that it reports is stored: it waits while the store cannot be reached, and
 * while no process runs the calls. After `close`, every request rejects, as do earlier ones that are not stored or answered by then.
 */
export interface DurableCalls extends AsyncDisposable {
  /** Queues calls and returns their ids. A call whose id is already in the store is not run again. */
  enqueue(calls: ReadonlyArray<ToolCallInput>, options?: EnqueueOptions): Promise<Array<string>>
  /**
   * Approves a call that waits at a gate, or that is `requested`. Resolves to true if the approval took effect. With `question`,
   * an item of the inbox, it takes effect only while that question is open, and not on a later question of the same call. The
   * same holds for `deny` and `respond`, which take `by` together with the fields of the item:
   * `deny(id, reason, { ...item, by: "ann" })`.
   */
  approve(callId: string, options?: ApproveOptions, question?: AskedQuestion): Promise<boolean>
  /** Denies a call that waits at a gate, or that is `requested`. Resolves to true if the denial took effect. */
  deny(callId: string, reason?: string, options?: AnswerItem): Promise<boolean>
  /**
   * Decides several gates, each once. Resolves, for each answer in order, to whether it took effect and, if not, why. With
   * `question`, an item of the inbox, an answer takes effect only while that question is open. Rejects with a TypeError for a
   * malformed list, before anything is decided.
   */
  answer(
    list: ReadonlyArray<ListedAnswer<AskedQuestion>>,
    options?: AnswerOptions,
  ): Promise<Array<AnswerOutcome>>
  /** Answers the effect that a call waits for, unless a function is answering it. Resolves to true if the answer took effect. */
  respond(callId: string, answer: EffectAnswer, options?: AnswerItem): Promise<boolean>
  /** Cancels one call, also in the background. Resolves to true if the cancel took effect. */
  cancelCall(callId: string, reason?: string): Promise<boolean>
  /** Does the same as `cancelCall`: a store has no cancel of all calls. */
  cancel(callId: string, reason?: string): Promise<boolean>
  /**
   * Applies or discards the latest pending action of an agent, outside its lane. Resolves to true if this took effect; otherwise
   * the last event of the `resolve` call contains the reason. Also resolves to false if the signal is aborted or the store is
   * closed first: the call continues.
   */
  resolve(request: ResolveParams, options?: ResolveOptions): Promise<boolean>
  /** The running background tasks, and the ended ones until they are taken. */
  readonly tasks: DurableTasks
  /** The open questions, in the order of their calls. */
  inbox(options?: InboxOptions): Promise<Array<InboxItem>>
  /**
   * Lists the calls that wait because processes run, but none of them has their tool; none in a file, whose process ends such calls.
   * Questions of these calls are in the inbox, too.
   */
  awaitingTool(options?: InboxOptions): Promise<Array<WaitingCall>>
  /**
   * Lists the calls that ended as `poisoned`, because processes ended while they ran, and that were not retried. Scans all ended
   * calls that the store keeps.
   */
  poisoned(options?: InboxOptions): Promise<Array<PoisonedCall>>
  /**
   * Queues a poisoned call once more, as a new call with the same parameters, and returns its id. Retrying a call again does not
   * run it again: retry the new call instead. Undefined if the store has no poisoned call with this id.
   */
  retry(callId: string): Promise<string | undefined>
  /**
   * The stored events after a cursor, then new ones as they come. Deltas are not stored: those of a file reach only the process that
   * runs its calls, those of Postgres only the listeners of `executor`.
   */
  events(options?: EventsOptions): AsyncGenerator<StoredEvent, undefined, undefined>
  /** The last event of a call that has ended; undefined for a call that has not, or that the store does not know. */
  result(callId: string): Promise<StoredEvent | undefined>
  /** Leaves the store. Its calls continue once the store is opened again. */
  close(): Promise<void>
}
