/** Adds calls to an executor: new calls, restored calls, and the cleanup of dropped actions. */

import type { ToolCall } from "../model/call.ts"
import { byCall, byShutdown, byUserBecause } from "../model/decision.ts"
import { cancelled, duplicate, type Stopped } from "../model/outcome.ts"
import type { PendingAction } from "../model/pending-actions.ts"
import type { PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Tool } from "../model/tool.ts"
import { resolveName } from "../resolve/definition.ts"
import { readCall, readLost, readPast, readStaged, type ToolOf } from "../snapshots/read-snapshot.ts"
import type { CallSnapshot, StagedSnapshot } from "../snapshots/snapshot.ts"
import { messageOf } from "../text/message-of.ts"
import { CallSpan } from "../tracing/call-span.ts"
import { storedReceipts } from "../undo/call-recorder.ts"
import { pendingEvent, resolvedEvent } from "./actions/action-events.ts"
import { Call, laneOf, Origin, type Recipient } from "./call/call.ts"
import { withBackground } from "./call/call-input.ts"
import type { Journal } from "./call/journal.ts"
import { reclaimKey } from "./call/once.ts"
import type { Engine } from "./engine.ts"
import { CleanupSink } from "./events/cleanup-sink.ts"
import { NestedCalls } from "./nested/nested-calls.ts"
import { NestedSink } from "./nested/nested-sink.ts"

/** The reason for calls that the shutdown cancels. */
export const shutdownReason = "Cancelled: the executor was shut down"

/** The receivers of a call's events, and how the call is added. */
export interface Submitting extends Recipient {
  /** Whether the call takes turns in its lane. Default true. */
  readonly inLane?: boolean | undefined
  /** The outcome of a call that is refused when its turn comes. */
  readonly refusal?: Stopped | undefined
}

/** Delays the result for the caller until the call's end is stored. */
const storedFirst = (to: Submitting, journal: Journal): Submitting => {
  const { onResult, onLeft } = to
  if (onResult === undefined) return to
  return { ...to, onResult: (result) => journal.after(() => onResult(result), onLeft) }
}

const originNow = (engine: Engine): Origin => new Origin(engine.deadlines.time())

/** Adds calls whose events go to the executor's queue. Returns their ids. */
export const enqueue = (engine: Engine, calls: ReadonlyArray<ToolCall>): Array<string> => {
  const origin = calls.length > 1 ? originNow(engine) : undefined
  const to = { sink: engine.events }
  return calls.map((call) => submit(engine, call, to, origin).toolCall.callId)
}

/** Adds one call. `together`: the origin that it shares with the calls enqueued together with it. */
export const submit = (engine: Engine, input: ToolCall, to: Submitting, together?: Origin): Call => {
  const { journal } = engine
  const tool = engine.tools.toolFor(input.agentId, input.name)
  const toolCall = withBackground(input, tool)
  const waits = to.inLane !== false && !toolCall.background
  // A call that starts at once needs no separate date, unless a journal stores it.
  const isNext = waits && journal === undefined && !engine.lanes.isBusy(laneOf(toolCall))
  const origin = together ?? (isNext ? new Origin(undefined) : originNow(engine))
  const call = new Call(toolCall, tool, journal ? storedFirst(to, journal) : to, origin)
  if (toolCall.by !== undefined && toolCall.name === resolveName)
    call.decidedBy = byUserBecause(undefined, toolCall.by)
  if (!engine.watchers.isEmpty) engine.watchers.queued(toolCall)
  if (engine.closing) refuseLate(engine, call)
  else if (engine.isTaken(toolCall.callId)) refuse(engine, call, duplicate(toolCall.callId))
  else {
    if (to.refusal !== undefined) {
      call.toolCall.decision = "deny"
      call.refusal = to.refusal
    }
    if (journal !== undefined) engine.limiter?.nameTurn(call, to.turn ?? origin)
    engine.calls.add(call)
    journal?.added(call)
    begin(engine, call, waits)
  }
  return call
}

const begin = (engine: Engine, call: Call, inLane: boolean): void => {
  const { journal, lanes } = engine
  if (!inLane) engine.startSoon(call)
  else if (journal === undefined) lanes.join(call)
  else journal.joins(call, () => call.isActive && lanes.join(call))
}

/** Ends a call whose id is in use, or that comes after the shutdown, before any handler runs. */
const refuse = (engine: Engine, call: Call, outcome: Stopped): void => {
  engine.answer(call, { _tag: "Refused", outcome })
}

/** Refuses a call after the shutdown. In a durable executor only after `leaving`, because until then the mailbox drops commands. */
const refuseLate = (engine: Engine, call: Call): void => {
  const reject = () => refuse(engine, call, cancelled(shutdownReason, byShutdown))
  if (engine.leaving === undefined) reject()
  else void engine.leaving.then(reject, reject)
}

// --- Restoring

const toolsOf =
  (engine: Engine, { agentId }: ToolCall): ToolOf =>
  (name, version) =>
    engine.tools.toolFor(agentId, name, version)

/** Restores a call from a snapshot: its question is asked again when its turn comes. */
export const restoreCall = (engine: Engine, snapshot: CallSnapshot): string => {
  const call = callFor(engine, snapshot)
  readCall(call, snapshot, toolsOf(engine, snapshot.call), () => Number.POSITIVE_INFINITY)
  if (call.action !== undefined) engine.actions.putBack(call.toolCall.agentId, call.action, true)
  return putBack(engine, call, snapshot)
}

/** How many processes may end while a handler of a tool runs. */
export type AttemptsOf = (tool: Tool<unknown> | undefined, part?: PipelinePart<unknown>) => number

/** Restores a call from a journal, which also stores the action that the call claims. A call that cannot continue ends as an Error. */
export const restoreJournaled = (
  engine: Engine,
  snapshot: CallSnapshot,
  maxAttemptsOf: AttemptsOf,
): string => {
  const toolOf = toolsOf(engine, snapshot.call)
  const call = callFor(engine, snapshot)
  const maxAttempts = (part: PipelinePart<unknown> | undefined) => maxAttemptsOf(call.tool, part)
  try {
    readCall(call, snapshot, toolOf, maxAttempts)
    const { action } = call
    if (action !== undefined) call.action = engine.actions.reclaim(call.toolCall.agentId, action.actionId)
    return putBack(engine, call, snapshot)
  } catch (error) {
    const lost = callFor(engine, snapshot)
    readLost(lost, snapshot, messageOf(error), toolOf, maxAttempts)
    return putBack(engine, lost, snapshot)
  }
}

const callFor = (engine: Engine, { call, createdAt, toolVersion }: CallSnapshot): Call => {
  const origin = createdAt === undefined ? originNow(engine) : new Origin(createdAt)
  const tool = engine.tools.toolFor(call.agentId, call.name, toolVersion)
  const { parentId } = call
  if (parentId === undefined) return new Call(call, tool, { sink: engine.events }, origin)
  const outer = engine.calls.get(parentId)
  const to: Recipient = {
    sink: new NestedSink(engine.events, parentId),
    outer,
    onResult: (result) => engine.nestedEnded(nested, result),
  }
  const nested = new Call(call, tool, engine.journal ? storedFirst(to, engine.journal) : to, origin)
  return nested
}

/** A restored nested call waits for its outer call, whose handler runs again. If no handler will, the nested call is cancelled. */
const putBackNested = (engine: Engine, call: Call): void => {
  const { outer } = call.to
  if (outer?.resume?._tag === "Running") {
    outer.nested ??= new NestedCalls(outer.called)
    outer.nested.add(call)
  } else engine.cancelOne(call, "The outer call ended: its process ended", byCall)
}

const putBack = (engine: Engine, call: Call, snapshot: CallSnapshot): string => {
  const { toolCall } = call
  const { tracers } = engine.watchers
  if (!engine.watchers.isEmpty) engine.watchers.queued(toolCall)
  engine.calls.add(call)
  readPast(call, snapshot, engine.deadlines.time())
  if (call.started) engine.limiter?.resume(call)
  const receipts = storedReceipts(call)
  if (receipts !== undefined) engine.changes?.restoreReceipts([receipts], call.subject)
  if (call.announced === "yes") engine.tasks.started(call)
  if (call.tool?.idempotencyKey !== undefined && call.resume !== undefined && !call.deduplicated)
    reclaimKey(engine, call, call.tool)
  if (tracers !== undefined && call.started)
    call.span = new CallSpan(tracers, toolCall, call.tool, call.earlier?.traceParent)
  engine.journal?.added(call)
  begin(engine, call, !toolCall.background && toolCall.parentId === undefined)
  if (toolCall.parentId !== undefined && call.announced !== "yes") putBackNested(engine, call)
  return toolCall.callId
}

/** Restores a pending action from a snapshot, and emits its event. */
export const restoreStaged = (engine: Engine, call: ToolCall, staged: StagedSnapshot): string => {
  const action = readStaged(staged, toolsOf(engine, call))
  engine.actions.putBack(call.agentId, action, false)
  engine.events.push(pendingEvent(call.agentId, action))
  return action.actionId
}

// --- Dropped actions

/** Continues the cleanup of an action that was dropped. */
export const restoreDropped = (engine: Engine, call: ToolCall, staged: StagedSnapshot): void =>
  drop(engine, call.agentId, readStaged(staged, toolsOf(engine, call)))

/** Emits the event of a dropped action. */
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

/** Drops an action: runs its finally handlers in a call with the action's id. */
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
