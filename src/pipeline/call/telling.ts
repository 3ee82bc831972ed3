/** Emits the events of a call's start, of its move to the background, and of its end, each once. */

import type { ToolCall } from "../../model/call.ts"
import type { DecidedBy, Decision } from "../../model/decision.ts"
import type {
  ActionPendingEvent,
  ActionResolvedEvent,
  BackgroundCompletedEvent,
  TerminalEvent,
  ToolEvent,
} from "../../model/event.ts"
import type { Mutable } from "../../model/mutable.ts"
import { addTaskEnd, backgroundResult, resultOf, statusOf, terminalEvent } from "../../model/outcome.ts"
import { tellAlone } from "../../model/thenable.ts"
import { CallSpan } from "../../tracing/call-span.ts"
import type { Tracer } from "../../tracing/tracer.ts"
import type { Engine } from "../engine.ts"
import { type Call, createdAt } from "./call.ts"
import { hasGateAhead, isPreview } from "./running.ts"

/**
 * Creates the span of a call. A nested call's span is a child of its outer call's; any other call's, of the span that its
 * host names.
 */
const spanOf = ({ toolCall, tool, to }: Call, tracers: ReadonlyArray<Tracer>): CallSpan => {
  const named = toolCall.meta?.traceparent
  const from = to.outer?.span?.traceParent ?? (typeof named === "string" ? named : undefined)
  return new CallSpan(tracers, toolCall, tool, from)
}

/** Emits `Started`: once, even if the call restarts with edited parameters. */
export const tellStarted = (engine: Engine, call: Call): void => {
  const { agentId, callId, name, params, background } = call.toolCall
  const { tracers } = engine.watchers
  if (tracers !== undefined) call.span = spanOf(call, tracers)
  const event: ToolEvent = { _tag: "Started", agentId, callId, name, params, background, seq: 0, at: 0 }
  call.to.sink.push(event)
  // The sink dates the event only if it has a listener.
  if (call.tool?.background === true) call.startedAt = event.at || engine.deadlines.time()
}

/** Emits `BackgroundStarted`: once, and the call is a background task from here on. */
export const tellAnnounced = (engine: Engine, call: Call): void => {
  const { agentId, callId, name } = call.toolCall
  // A background task's deltas never wait for the consumer.
  call.stream?.room?.open()
  engine.tasks.started(call)
  call.to.sink.push({ _tag: "BackgroundStarted", agentId, callId, name, seq: 0, at: 0 })
  call.to.onResult?.(backgroundResult(callId))
}

/** Emits an event of a pending action. An action belongs to its agent: if the call has no listener, the event goes to the queue. */
export const tellAction = (
  engine: Engine,
  { to: { sink } }: Call,
  event: ActionPendingEvent | ActionResolvedEvent,
): void => {
  const asked = sink.answers ? sink : engine.events
  asked.push(event)
}

/** Reports a decision to `onDecision` and the watchers. */
export const tellDecision = (
  engine: Engine,
  call: Call,
  verdict: Decision["verdict"],
  by: DecidedBy | undefined,
  { name, params }: Pick<ToolCall, "name" | "params"> = call.subject,
): void => {
  const { watchers, settings } = engine
  if (settings.onDecision === undefined && watchers.isEmpty) return
  const { agentId, callId, parentId } = call.toolCall
  const decision: Decision = {
    at: engine.deadlines.time(),
    agentId,
    callId,
    ...(parentId !== undefined && { parentId }),
    name,
    params,
    verdict,
    ...(by !== undefined && { by }),
  }
  watchers.decided(decision)
  tellAlone(() => settings.onDecision?.(decision))
}

/** Whether the output is a preview of work that was not done: after the message of a cancel it would read like a result. */
const isUndone = (call: Call): boolean => {
  const outcome = call.outcome!
  if (outcome._tag === "Cancelled") return isPreview(call)
  // A call that times out after its last gate may have done part of the work.
  return outcome._tag === "Error" && outcome.reason === "timeout" && hasGateAhead(call)
}

/** The terminal event of the call, before the output check and the `afterCall` hook. */
export const endOf = (call: Call): TerminalEvent => {
  const { toolCall, outcome, output, stream, decidedBy, started, edited, links, cleanupErrors } = call
  const streamed = stream === undefined ? "" : stream.transcript.toString()
  return terminalEvent({
    call: toolCall,
    outcome: outcome!,
    output: outcome!._tag !== "Completed" && isUndone(call) ? undefined : output,
    streamed,
    decidedBy,
    started,
    edited,
    deduplicated: call.deduplicated,
    staged: links.staged,
    cleanupErrors,
  })
}

const endVerdict = (event: TerminalEvent, { started }: Call): Decision["verdict"] => {
  if (event._tag === "Denied") return "deny"
  if (event._tag === "Cancelled") return "cancel"
  return started ? "run" : "invalid"
}

/** Ends the call's span. A refused call gets a span too, so that traces show calls of unknown tools. */
const traceEnd = (call: Call, tracers: ReadonlyArray<Tracer>, event: TerminalEvent): void => {
  const isRefused = !call.started && (event._tag === "Error" || event._tag === "Denied")
  if (isRefused) call.span ??= spanOf(call, tracers)
  call.span?.end(event)
}

/** Emits the end of the call, as its terminal event or as `BackgroundCompleted`. */
export const tellEnded = (engine: Engine, call: Call, event: TerminalEvent): void => {
  const { watchers } = engine
  const { sink, onResult } = call.to
  if (engine.settings.onDecision !== undefined || !watchers.isEmpty) {
    tellDecision(engine, call, endVerdict(event, call), event.decidedBy, call.toolCall)
  }
  if (call.resolved !== undefined) tellAction(engine, call, call.resolved)
  if (call.span !== undefined || watchers.tracers !== undefined) traceEnd(call, watchers.tracers ?? [], event)
  if (call.announced !== "yes") {
    sink.push(event)
    onResult?.(resultOf(event))
    return
  }
  engine.tasks.ended(call, event)
  const { agentId, callId, name } = call.toolCall
  const endedAt = engine.deadlines.time()
  const last: Mutable<BackgroundCompletedEvent> = {
    _tag: "BackgroundCompleted",
    agentId,
    callId,
    name,
    status: statusOf(event),
    createdAt: createdAt(call, endedAt),
    endedAt,
    seq: 0,
    at: 0,
  }
  if (call.startedAt !== undefined) last.startedAt = call.startedAt
  addTaskEnd(last, event)
  sink.push(last)
}
