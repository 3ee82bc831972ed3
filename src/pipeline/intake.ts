/** Takes calls in: new ones, those that were written down, and what cleans up after actions that nobody resolves. */

import { messageOf } from "../text/message-of.ts"
import { CallSpan } from "../tracing/call-span.ts"
import { pendingEvent, resolvedEvent } from "./call/action-events.ts"
import { Call, Origin, type Recipient } from "./call/call.ts"
import { withBackground } from "./call/call-input.ts"
import type { Journal } from "./call/journal.ts"
import { readCall, readLost, readPast, readStaged, type ToolOf } from "./call/read-snapshot.ts"
import type { CallSnapshot, StagedSnapshot } from "./call/snapshot.ts"
import type { Engine } from "./engine.ts"
import { CleanupSink } from "./events/cleanup-sink.ts"
import type { ToolCall } from "./model/call.ts"
import { byShutdown } from "./model/decision.ts"
import { cancelled, duplicate, type Stopped } from "./model/outcome.ts"
import type { PendingAction } from "./model/pending-actions.ts"
import type { StagedAction } from "./model/staged-action.ts"

/** The reason of what is cancelled by shutdown. */
export const shutdownReason = "Cancelled: the executor was shut down"

/** Who is told of a call, and how it is taken in. */
export interface Submitting extends Recipient {
  /** Whether it takes its place in its agent's lane. Default true. */
  readonly inLane?: boolean | undefined
  /** What it ends with in its turn, with nothing run. */
  readonly refusal?: Stopped | undefined
}

/** What its caller is told of its result only once that cannot be forgotten. */
const storedFirst = (to: Submitting, journal: Journal): Submitting => {
  const { onResult, onLeft } = to
  if (onResult === undefined) return to
  return { ...to, onResult: (result) => journal.after(() => onResult(result), onLeft) }
}

const originNow = (engine: Engine): Origin => new Origin(engine.deadlines.time())

/** Calls that are enqueued together: their events go to the queue. */
export const enqueue = (engine: Engine, calls: ReadonlyArray<ToolCall>): Array<string> => {
  const origin = calls.length > 1 ? originNow(engine) : undefined
  const to = { sink: engine.events }
  return calls.map((call) => submit(engine, call, to, origin).toolCall.callId)
}

/** Takes one call in. `together`: with others. */
export const submit = (engine: Engine, input: ToolCall, to: Submitting, together?: Origin): Call => {
  const { journal } = engine
  const tool = engine.tools.toolFor(input.agentId, input.name)
  const toolCall = withBackground(input, tool)
  const waits = to.inLane !== false && !toolCall.background
  // A call whose turn comes at once needs no date, unless it is written down.
  const isNext = waits && journal === undefined && !engine.lanes.isBusy(toolCall.lane ?? toolCall.agentId)
  const origin = together ?? (isNext ? new Origin(undefined) : originNow(engine))
  const call = new Call(toolCall, tool, journal ? storedFirst(to, journal) : to, origin)
  if (!engine.watchers.isEmpty) engine.watchers.queued(toolCall)
  if (engine.closing) refuseLate(engine, call)
  else if (engine.isTaken(toolCall.callId)) refuse(engine, call, duplicate(toolCall.callId))
  else {
    if (to.refusal !== undefined) {
      call.toolCall.decision = "deny"
      call.refusal = to.refusal
    }
    engine.calls.add(call)
    journal?.added(call)
    begin(engine, call, waits)
  }
  return call
}

const begin = (engine: Engine, call: Call, inLane: boolean): void => {
  if (inLane) engine.lanes.join(call)
  else engine.startSoon(call)
}

/** It is no call, or comes too late: it ends with nothing run. */
const refuse = (engine: Engine, call: Call, outcome: Stopped): void => {
  engine.answer(call, { _tag: "Refused", outcome })
}

/** Where calls are left, nothing is done before that is over, and what waits till then is dropped. */
const refuseLate = (engine: Engine, call: Call): void => {
  const reject = () => refuse(engine, call, cancelled(shutdownReason, byShutdown))
  if (engine.leaving === undefined) reject()
  else void engine.leaving.then(reject, reject)
}

// --- What was written down

const toolsOf =
  (engine: Engine, { agentId }: ToolCall): ToolOf =>
  (name) =>
    engine.tools.toolFor(agentId, name)

/** Puts a call that was written down at its place: its question is asked again when its turn comes. */
export const restoreCall = (engine: Engine, snapshot: CallSnapshot): string => {
  const call = callFor(engine, snapshot)
  readCall(call, snapshot, toolsOf(engine, snapshot.call))
  if (call.action !== undefined) engine.actions.putBack(call.toolCall.agentId, call.action, true)
  return putBack(engine, call, snapshot)
}

/** The same for a call of a journal, which holds the action that it claims; one that cannot go on ends as an Error. */
export const restoreJournaled = (engine: Engine, snapshot: CallSnapshot): string => {
  const toolOf = toolsOf(engine, snapshot.call)
  const call = callFor(engine, snapshot)
  try {
    readCall(call, snapshot, toolOf)
    const { action } = call
    if (action !== undefined) call.action = engine.actions.reclaim(call.toolCall.agentId, action.actionId)
    return putBack(engine, call, snapshot)
  } catch (error) {
    const lost = callFor(engine, snapshot)
    readLost(lost, snapshot, messageOf(error), toolOf)
    return putBack(engine, lost, snapshot)
  }
}

const callFor = (engine: Engine, { call, createdAt }: CallSnapshot): Call => {
  const origin = createdAt === undefined ? originNow(engine) : new Origin(createdAt)
  const tool = engine.tools.toolFor(call.agentId, call.name)
  return new Call(call, tool, { sink: engine.events }, origin)
}

const putBack = (engine: Engine, call: Call, snapshot: CallSnapshot): string => {
  const { toolCall } = call
  const { tracers } = engine.watchers
  if (!engine.watchers.isEmpty) engine.watchers.queued(toolCall)
  engine.calls.add(call)
  readPast(call, snapshot, engine.deadlines.time())
  if (call.announced === "yes") engine.tasks.started(call)
  if (tracers !== undefined && call.started)
    call.span = new CallSpan(tracers, toolCall, call.tool, call.earlier?.traceParent)
  engine.journal?.added(call)
  begin(engine, call, !toolCall.background)
  return toolCall.callId
}

/** Puts a pending action that was written down at its place, and tells of it. */
export const restoreStaged = (engine: Engine, call: ToolCall, staged: StagedSnapshot): string => {
  const action = readStaged(staged, toolsOf(engine, call))
  engine.actions.putBack(call.agentId, action, false)
  engine.events.push(pendingEvent(call.agentId, action))
  return action.actionId
}

// --- Actions that nobody resolves any more

/** Goes on with the cleanup after an action that was dropped. */
export const restoreDropped = (engine: Engine, call: ToolCall, staged: StagedSnapshot): void =>
  drop(engine, call.agentId, readStaged(staged, toolsOf(engine, call)))

/** An action was ended without having been applied or discarded. */
export const tellDropped = (
  engine: Engine,
  agentId: string,
  action: PendingAction,
  cleanupErrors: ReadonlyArray<string> | undefined,
): void => {
  const event = resolvedEvent(agentId, action, "dropped")
  if (cleanupErrors !== undefined) event.cleanupErrors = cleanupErrors
  engine.events.push(event)
}

/** Runs what cleans up after an action that nobody resolves any more, under the action's id. */
export const drop = (engine: Engine, agentId: string, action: StagedAction): void => {
  const { actionId, source } = action
  const toolCall: ToolCall = {
    agentId,
    callId: actionId,
    ...source,
    decision: "pending",
    background: false,
  }
  const sink = new CleanupSink(engine.events, (cleanupErrors) =>
    tellDropped(engine, agentId, action, cleanupErrors),
  )
  const make = () => originNow(engine)
  const origin = action.asyncContext?.runInAsyncScope(make) ?? make()
  const call = new Call(toolCall, engine.toolOf(source.name), { sink }, origin)
  engine.calls.add(call)
  engine.journal?.dropping(agentId, action)
  engine.answer(call, { _tag: "Drop", action })
}
