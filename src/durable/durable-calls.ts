/** What the process that runs the calls of a store offers, and every other that has the store. */
import type { ToolCallInput } from "../pipeline/model/call.ts"
import type { ApproveOptions } from "../pipeline/model/event.ts"
import type { ResolveParams } from "../resolve/definition.ts"
import type { DurableTasks } from "./durable-tasks.ts"
import type { EventsOptions } from "./event-log.ts"
import type { AskedQuestion, InboxItem, InboxOptions } from "./inbox.ts"
import type { EffectAnswer } from "./requests.ts"
import type { StoredEvent } from "./stored-event.ts"

/** Whose pending action is resolved. */
export interface ResolveOptions {
  /** Default `main`. */
  readonly agentId?: string
  /** Once it is aborted, the end is not waited for any more. */
  readonly signal?: AbortSignal
}

/**
 * The calls of a store. Each promise resolves once what it says is stored; where the store is away it waits, and where nobody runs
 * the calls, until somebody does. What is asked once it was closed rejects, and so does what is not stored, or not answered, by then.
 */
export interface DurableCalls extends AsyncDisposable {
  /** Queues calls; gives their ids. A call whose id is in the store already is that call: nothing is run twice. */
  enqueue(calls: ReadonlyArray<ToolCallInput>): Promise<Array<string>>
  /**
   * Approves a call that waits at a gate, or that is `requested`. True if it took effect. `question`: an item of the inbox; then
   * it takes effect on that question alone, and not on one that the call has come to since. Likewise `deny` and `respond`.
   */
  approve(callId: string, options?: ApproveOptions, question?: AskedQuestion): Promise<boolean>
  /** Denies a call that waits at a gate, or that is `requested`. True if it took effect. */
  deny(callId: string, reason?: string, question?: AskedQuestion): Promise<boolean>
  /** Answers the effect that a call waits for, unless a function is answering it. True if it took effect. */
  respond(callId: string, answer: EffectAnswer, question?: AskedQuestion): Promise<boolean>
  /** Ends one call, also in the background. True if it took effect. */
  cancelCall(callId: string, reason?: string): Promise<boolean>
  /** The same: a store has no cancel of all calls. */
  cancel(callId: string, reason?: string): Promise<boolean>
  /**
   * Applies or discards the latest pending action of an agent, outside its lane. True if it took effect; why not, the last event
   * of that call of `resolve` tells. False, too, where it goes on: its signal was aborted, or the store closed.
   */
  resolve(request: ResolveParams, options?: ResolveOptions): Promise<boolean>
  /** Background tasks: those that run, and those that have ended, until they are taken. */
  readonly tasks: DurableTasks
  /** The questions that are open, in the order of their calls. */
  inbox(options?: InboxOptions): Promise<Array<InboxItem>>
  /**
   * What was told, from any place on, and then what is told. Deltas are live only, and come to the process that runs the calls of
   * a file; those of Postgres are told by `executor` alone.
   */
  events(options?: EventsOptions): AsyncGenerator<StoredEvent, undefined, undefined>
  /** The last event of a call, once it has ended; undefined before, and where the store does not know it. */
  result(callId: string): Promise<StoredEvent | undefined>
  /** Leaves the store. No call is ended by that: they go on once the store is opened again. */
  close(): Promise<void>
}
