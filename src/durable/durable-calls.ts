/** The operations on the calls of a store, for the process that runs them and for every other that has the store open. */

import type { AnswerOutcome, ListedAnswer } from "../pipeline/call/answer-list.ts"
import type { EnqueueOptions, ToolCallInput } from "../pipeline/model/call.ts"
import type { AnswerOptions, ApproveOptions } from "../pipeline/model/event.ts"
import type { ResolveParams } from "../resolve/definition.ts"
import type { DurableTasks } from "./durable-tasks.ts"
import type { EventsOptions } from "./event-log.ts"
import type { AnswerItem, AskedQuestion, InboxItem, InboxOptions } from "./inbox.ts"
import type { PoisonedCall } from "./poisoned.ts"
import type { EffectAnswer } from "./requests.ts"
import type { StoredEvent } from "./stored-event.ts"

/** Options of `resolve`. */
export interface ResolveOptions {
  /** The agent whose pending action is resolved. Default `main`. */
  readonly agentId?: string
  /** The person who decides, for `decidedBy`. */
  readonly by?: string
  /** Aborting it stops the wait for the outcome; the call of `resolve` continues. */
  readonly signal?: AbortSignal
}

/**
 * The calls of a store. Each promise resolves once the change that it reports is stored: it waits while the store cannot be reached, and
 * while no process runs the calls. After `close`, every request rejects, as do earlier ones that are not stored or answered by then.
 */
export interface DurableCalls extends AsyncDisposable {
  /** Queues calls; returns their ids. A call whose id is in the store already is not run again. */
  enqueue(calls: ReadonlyArray<ToolCallInput>, options?: EnqueueOptions): Promise<Array<string>>
  /**
   * Approves a call that waits at a gate, or that is `requested`. True if the approval took effect. With `question`, an item of the
   * inbox, it takes effect only while that question is open, not on a later one of the same call. Likewise `deny` and `respond`, whose
   * `by` is given beside the fields of the item: `deny(id, reason, { ...item, by: "ann" })`.
   */
  approve(callId: string, options?: ApproveOptions, question?: AskedQuestion): Promise<boolean>
  /** Denies a call that waits at a gate, or that is `requested`. True if it took effect. */
  deny(callId: string, reason?: string, options?: AnswerItem): Promise<boolean>
  /**
   * Decides several gates, each once: for each answer, in order, whether it took effect, and if not, why. With `question`, an item of
   * the inbox, an answer takes effect only while that question is open. Rejects with a TypeError for a malformed list, before anything
   * is decided.
   */
  answer(
    list: ReadonlyArray<ListedAnswer<AskedQuestion>>,
    options?: AnswerOptions,
  ): Promise<Array<AnswerOutcome>>
  /** Answers the effect that a call waits for, unless a function is answering it. True if it took effect. */
  respond(callId: string, answer: EffectAnswer, options?: AnswerItem): Promise<boolean>
  /** Ends one call, also in the background. True if it took effect. */
  cancelCall(callId: string, reason?: string): Promise<boolean>
  /** Does the same as `cancelCall`: a store has no cancel of all calls. */
  cancel(callId: string, reason?: string): Promise<boolean>
  /**
   * Applies or discards the latest pending action of an agent, outside its lane. True if it took effect; otherwise the last event of
   * the `resolve` call says why. False, too, when the signal is aborted or the store is closed first: the call continues.
   */
  resolve(request: ResolveParams, options?: ResolveOptions): Promise<boolean>
  /** Background tasks that run, and those that have ended, until they are taken. */
  readonly tasks: DurableTasks
  /** The open questions, in the order of their calls. */
  inbox(options?: InboxOptions): Promise<Array<InboxItem>>
  /**
   * Calls that ended as `poisoned`, because processes ended while they ran, and that were not retried. A scan of all ended calls that
   * the store keeps.
   */
  poisoned(options?: InboxOptions): Promise<Array<PoisonedCall>>
  /**
   * Queues a poisoned call once more, as a new call with the same parameters; returns its id. However often a call is retried, it runs
   * once more: the retry is a call that may be retried itself. Undefined if the store has no poisoned call of this id.
   */
  retry(callId: string): Promise<string | undefined>
  /**
   * The stored events after a cursor, then new ones as they come. Deltas are not stored: those of a file reach only the process that
   * runs its calls, those of Postgres only the listeners of `executor`.
   */
  events(options?: EventsOptions): AsyncGenerator<StoredEvent, undefined, undefined>
  /** The last event of a call that has ended; undefined for a call that has not, or that the store does not know. */
  result(callId: string): Promise<StoredEvent | undefined>
  /** Leaves the store. Its calls do not end: they continue once the store is opened again. */
  close(): Promise<void>
}
