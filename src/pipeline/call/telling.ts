/** What a call tells its host: that it started, that it runs in the background, and its end, once. */

import { textOutput } from "../../output/output.ts"
import type { ResolveParams } from "../../resolve/definition.ts"
import type { RunningTask } from "../../tasks/background-tasks.ts"
import { CallSpan } from "../../tracing/call-span.ts"
import type { Tracer } from "../../tracing/tracer.ts"
import type { EventSink } from "../events/event-sink.ts"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy, Decision } from "../model/decision.ts"
import type {
  ActionPendingEvent,
  ActionResolvedEvent,
  BackgroundCompletedEvent,
  TerminalEvent,
  ToolEvent,
  ToolResult,
} from "../model/event.ts"
import type { Mutable } from "../model/mutable.ts"
import { addTaskEnd, resultOf, statusOf, terminalEvent } from "../model/outcome.ts"
import type { PendingAction } from "../model/pending-actions.ts"
import type { StagedAction } from "../model/staged-action.ts"
import { tellAlone } from "../model/thenable.ts"
import type { Tool } from "../model/tool.ts"
import type { Engine } from "./engine.ts"
import { hasGateAhead, isPreview } from "./running.ts"
import type { CallRecord } from "./state.ts"
import type { CallStream } from "./stream.ts"

/** The call that tells. */
export interface Teller extends RunningTask {
  readonly engine: Engine
  readonly record: CallRecord
  readonly sink: EventSink
  readonly onResult: ((result: ToolResult) => void) | undefined
  readonly stream: CallStream | undefined
  readonly tool: Tool<unknown> | undefined
  startedAt: number | undefined
  span: CallSpan | undefined
  /** The action that it resolved: told with its end, for the finally handlers belong to the action. */
  resolved: ActionResolvedEvent | undefined
}

/** Told once, also where the call runs again with edited parameters. */
export const tellStarted = (teller: Teller): void => {
  const { engine, record } = teller
  const { agentId, callId, name, params, background } = record.call
  const { tracers } = engine.watchers
  if (tracers !== undefined) teller.span = new CallSpan(tracers, record.call, teller.tool)
  const event: ToolEvent = { _tag: "Started", agentId, callId, name, params, background, seq: 0, at: 0 }
  teller.sink.push(event)
  // An event that nobody is told has no date.
  if (teller.tool?.background === true) teller.startedAt = event.at || engine.deadlines.time()
}

/** The call is a background task from here on; told once. */
export const tellAnnounced = (teller: Teller): void => {
  const { agentId, callId, name } = teller.record.call
  // Its deltas wait for nobody any more.
  teller.stream?.room?.open()
  teller.engine.tasks.started(teller)
  teller.sink.push({ _tag: "BackgroundStarted", agentId, callId, name, seq: 0, at: 0 })
  const content = `Running in background (task_id: ${callId})`
  const output = textOutput(content)
  teller.onResult?.({ status: "background", content, output, isError: false, taskId: callId })
}

/** An action is the agent's, not the call's: where nobody is told of the call, the readers of events are. */
export const tellAction = (teller: Teller, event: ActionPendingEvent | ActionResolvedEvent): void => {
  const sink = teller.sink.answers ? teller.sink : teller.engine.events
  sink.push(event)
}

/** An action waits. `callId`: the call that staged it now, which is not the first where it goes on from another action. */
export const pendingEvent = (
  agentId: string,
  { actionId, label, sourceToolName, staging }: StagedAction,
  callId?: string,
): ActionPendingEvent => {
  const sourceCallId = staging?.call.callId
  const isKnown = sourceCallId === undefined || sourceCallId === callId
  const source = isKnown ? undefined : { sourceCallId }
  return { _tag: "ActionPending", agentId, actionId, label, sourceToolName, ...source, seq: 0, at: 0 }
}

/** An action is over. */
export const resolvedEvent = (
  agentId: string,
  { actionId, label, sourceToolName }: PendingAction,
  outcome: ActionResolvedEvent["outcome"],
): Mutable<ActionResolvedEvent> => ({
  _tag: "ActionResolved",
  agentId,
  actionId,
  label,
  sourceToolName,
  outcome,
  seq: 0,
  at: 0,
})

/** What the end of a call of `resolve` will say of the action that it applied or discarded. */
export const settledEvent = ({ agentId, params }: ToolCall, action: PendingAction): ActionResolvedEvent => {
  const outcome = (params as ResolveParams).action === "discard" ? "discarded" : "applied"
  return resolvedEvent(agentId, action, outcome)
}

/** Tells what was decided, where somebody listens. */
export const tellDecision = (
  { engine, record }: Pick<Teller, "engine" | "record">,
  verdict: Decision["verdict"],
  by: DecidedBy | undefined,
  { name, params }: Pick<ToolCall, "name" | "params"> = record.subject,
): void => {
  const { watchers, settings } = engine
  if (settings.onDecision === undefined && watchers.isEmpty) return
  const { agentId, callId } = record.call
  const at = engine.deadlines.time()
  const decision: Decision = { at, agentId, callId, name, params, verdict, ...(by !== undefined && { by }) }
  watchers.decided(decision)
  tellAlone(() => settings.onDecision?.(decision))
}

/** Whether the output tells what would have been done: behind a message of how the call was cut off, it would pass for what was. */
const isUndone = (record: CallRecord): boolean => {
  const outcome = record.outcome!
  if (outcome._tag === "Cancelled") return isPreview(record)
  // Whoever runs out of time behind its gate may have done a part of it.
  return outcome._tag === "Error" && outcome.reason === "timeout" && hasGateAhead(record)
}

/** How the call ended, as its machine says. */
export const endOf = ({ record, stream }: Teller): TerminalEvent => {
  const { call, outcome, output, decidedBy, edited, ties, cleanupErrors } = record
  const streamed = stream === undefined ? "" : stream.transcript.toString()
  return terminalEvent({
    call,
    outcome: outcome!,
    output: outcome!._tag !== "Completed" && isUndone(record) ? undefined : output,
    streamed,
    decidedBy,
    edited,
    staged: ties.staged,
    cleanupErrors,
  })
}

const endVerdict = (event: TerminalEvent, { started }: CallRecord): Decision["verdict"] => {
  if (event._tag === "Denied") return "deny"
  if (event._tag === "Cancelled") return "cancel"
  return started ? "run" : "invalid"
}

/** A call that was refused has a span too: nobody would find out else that its model asks for what there is not. */
const traceEnd = (teller: Teller, tracers: ReadonlyArray<Tracer>, event: TerminalEvent): void => {
  const isRefused = !teller.record.started && (event._tag === "Error" || event._tag === "Denied")
  if (isRefused) teller.span ??= new CallSpan(tracers, teller.record.call, teller.tool)
  teller.span?.end(event)
}

/** Tells the end. */
export const tellEnded = (teller: Teller, event: TerminalEvent): void => {
  const { engine, record, resolved } = teller
  const { watchers } = engine
  if (engine.settings.onDecision !== undefined || !watchers.isEmpty) {
    tellDecision(teller, endVerdict(event, record), event.decidedBy, record.call)
  }
  if (resolved !== undefined) tellAction(teller, resolved)
  if (teller.span !== undefined || watchers.tracers !== undefined)
    traceEnd(teller, watchers.tracers ?? [], event)
  if (record.announced !== "yes") {
    teller.sink.push(event)
    teller.onResult?.(resultOf(event))
    return
  }
  engine.tasks.ended(teller, event)
  const { agentId, callId, name } = record.call
  const { createdAt, startedAt } = teller
  const last: Mutable<BackgroundCompletedEvent> = {
    _tag: "BackgroundCompleted",
    agentId,
    callId,
    name,
    status: statusOf(event),
    createdAt,
    endedAt: engine.deadlines.time(),
    seq: 0,
    at: 0,
  }
  if (startedAt !== undefined) last.startedAt = startedAt
  addTaskEnd(last, event)
  teller.sink.push(last)
}
