/**
 * Takes calls in: new ones, those that were written down, and what cleans up after actions that nobody resolves. What carries
 * a call out is made later, so that one that waits is small.
 */

import { messageOf } from "../text/message-of.ts"
import { withBackground } from "./call/call-input.ts"
import type { ActiveCalls } from "./call/calls.ts"
import { EnqueuedCall } from "./call/enqueued.ts"
import type { Journal } from "./call/journal.ts"
import { Origin } from "./call/origin.ts"
import { readCall, readLost, readStaged, type ToolOf } from "./call/read-snapshot.ts"
import type { CallSnapshot, StagedSnapshot } from "./call/snapshot.ts"
import type { CallRecord } from "./call/state.ts"
import type { Recipient } from "./call/submission.ts"
import { pendingEvent, resolvedEvent } from "./call/telling.ts"
import type { ExecutorEngine } from "./engine.ts"
import { CleanupSink } from "./events/cleanup-sink.ts"
import type { ToolCall } from "./model/call.ts"
import { byShutdown } from "./model/decision.ts"
import { cancelled, duplicate, type Stopped } from "./model/outcome.ts"
import type { PendingAction } from "./model/pending-actions.ts"
import type { StagedAction } from "./model/staged-action.ts"
import type { AgentTools } from "./stores/agent-tools.ts"

/** The reason of what is cancelled by shutdown. */
export const shutdownReason = "Cancelled: the executor was shut down"

/** Who is told of a call, and how it is taken in. */
export interface Submitting extends Recipient {
  /** Whether it takes its place in its agent's lane. Default true. */
  readonly inLane?: boolean | undefined
  /** What it ends with in its turn, with nothing run. */
  readonly refusal?: Stopped | undefined
}

/** What the calls that are taken in belong to. */
interface IntakeParts {
  readonly engine: ExecutorEngine
  readonly calls: ActiveCalls
  readonly tools: AgentTools
}

/** What its caller is told of its result only once that cannot be forgotten. */
const storedFirst = (to: Submitting, journal: Journal): Submitting => {
  const { onResult, onLeft } = to
  if (onResult === undefined) return to
  return { ...to, onResult: (result) => journal.after(() => onResult(result), onLeft) }
}

/** Where calls come into an executor. */
export class Intake {
  private readonly parts: IntakeParts
  private readonly toQueue: Submitting

  constructor(parts: IntakeParts) {
    this.parts = parts
    this.toQueue = { sink: parts.engine.events }
  }

  /** Whether a call or a kept task has this id. */
  isTaken(callId: string): boolean {
    return this.parts.calls.has(callId) || this.parts.engine.tasks.has(callId)
  }

  /** Calls that are enqueued together: their events go to the queue. */
  enqueue(calls: ReadonlyArray<ToolCall>): Array<string> {
    const origin = calls.length > 1 ? this.origin() : undefined
    return calls.map((call) => this.submit(call, this.toQueue, origin).call.callId)
  }

  private origin(): Origin {
    return new Origin(this.parts.engine.deadlines.time())
  }

  /** Takes one call in. `together`: with others. */
  submit(input: ToolCall, to: Submitting, together?: Origin): EnqueuedCall {
    const { engine, calls, tools } = this.parts
    const tool = tools.toolFor(input.agentId, input.name)
    const call = withBackground(input, tool)
    const waits = to.inLane !== false && !call.background
    const isNext = waits && !engine.isBusy(call)
    const origin = together ?? (isNext ? new Origin(undefined) : this.origin())
    const { journal } = engine
    const enqueued = new EnqueuedCall(engine, call, tool, journal ? storedFirst(to, journal) : to, origin)
    const { callId } = call
    if (!engine.watchers.isEmpty) engine.watchers.queued(call)
    if (engine.closing) this.refuseLate(enqueued)
    else if (this.isTaken(callId)) {
      enqueued.actor.reject(duplicate(callId))
    } else {
      if (to.refusal !== undefined) enqueued.actor.refuse(to.refusal)
      calls.add(enqueued)
      journal?.added(enqueued.actor)
      engine.start(enqueued, waits)
    }
    return enqueued
  }

  /** Where calls are left, nothing is done before that is over, and what waits till then is dropped. */
  private refuseLate({ actor }: EnqueuedCall): void {
    const { leaving } = this.parts.engine
    const reject = () => actor.reject(cancelled(shutdownReason, byShutdown))
    if (leaving === undefined) reject()
    else void leaving.then(reject, reject)
  }

  /** Puts a call that was written down at its place: its question is asked again when its turn comes. */
  restoreCall(snapshot: CallSnapshot): string {
    const { actions } = this.parts.engine
    const { call } = snapshot
    const record = readCall(snapshot, this.toolOf(call))
    if (record.action !== undefined) actions.putBack(call.agentId, record.action, true)
    return this.putBack(snapshot, record)
  }

  /** The same for a call of a journal, which holds the action that it claims; one that cannot go on ends as an Error. */
  restoreJournaled(snapshot: CallSnapshot): string {
    const { call } = snapshot
    const toolOf = this.toolOf(call)
    try {
      const record = readCall(snapshot, toolOf)
      const { action } = record
      if (action !== undefined)
        record.action = this.parts.engine.actions.reclaim(call.agentId, action.actionId)
      return this.putBack(snapshot, record)
    } catch (error) {
      return this.putBack(snapshot, readLost(snapshot, messageOf(error), toolOf))
    }
  }

  private toolOf({ agentId }: ToolCall): ToolOf {
    return (name) => this.parts.tools.toolFor(agentId, name)
  }

  private putBack(snapshot: CallSnapshot, record: CallRecord): string {
    const { engine, calls } = this.parts
    const { call, createdAt } = snapshot
    const origin = createdAt === undefined ? this.origin() : new Origin(createdAt)
    const tool = this.toolOf(call)(call.name)
    const enqueued = new EnqueuedCall(engine, call, tool, this.toQueue, origin, record)
    if (!engine.watchers.isEmpty) engine.watchers.queued(call)
    calls.add(enqueued)
    enqueued.actor.resume(snapshot)
    engine.journal?.added(enqueued.actor)
    engine.start(enqueued, !call.background)
    return call.callId
  }

  /** Puts a pending action that was written down at its place, and tells of it. */
  restoreStaged(call: ToolCall, staged: StagedSnapshot): string {
    const action = readStaged(staged, this.toolOf(call))
    const { actions, events } = this.parts.engine
    actions.putBack(call.agentId, action, false)
    events.push(pendingEvent(call.agentId, action))
    return action.actionId
  }

  /** Goes on with the cleanup after an action that was dropped. */
  restoreDropped(call: ToolCall, staged: StagedSnapshot): void {
    this.drop(call.agentId, readStaged(staged, this.toolOf(call)))
  }

  /** An action was ended without having been applied or discarded. */
  tellDropped(
    agentId: string,
    action: PendingAction,
    cleanupErrors: ReadonlyArray<string> | undefined,
  ): void {
    const event = resolvedEvent(agentId, action, "dropped")
    if (cleanupErrors !== undefined) event.cleanupErrors = cleanupErrors
    this.parts.engine.events.push(event)
  }

  /** Runs what cleans up after an action that nobody resolves any more, under the action's id. */
  drop(agentId: string, action: StagedAction): void {
    const { engine, calls } = this.parts
    const { actionId, source } = action
    const call: ToolCall = { agentId, callId: actionId, ...source, decision: "pending", background: false }
    const sink = new CleanupSink(engine.events, (cleanupErrors) =>
      this.tellDropped(agentId, action, cleanupErrors),
    )
    const make = () => this.origin()
    const origin = action.asyncContext?.runInAsyncScope(make) ?? make()
    const enqueued = new EnqueuedCall(engine, call, engine.toolOf(source.name), { sink }, origin)
    calls.add(enqueued)
    engine.journal?.dropping(agentId, action)
    enqueued.actor.drop(action)
  }
}
