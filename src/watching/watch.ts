/** Lets somebody look on: what is there already is told first, as if it began now, and then what happens. */
import { approvalEvent, openQuestion } from "../pipeline/call/asking.ts"
import type { ActiveCalls } from "../pipeline/call/calls.ts"
import type { EnqueuedCall } from "../pipeline/call/enqueued.ts"
import type { CallRecord } from "../pipeline/call/state.ts"
import { pendingEvent } from "../pipeline/call/telling.ts"
import type { EventStamps } from "../pipeline/events/event-stamps.ts"
import type { ToolEvent } from "../pipeline/model/event.ts"
import { expectOptions } from "../pipeline/model/got.ts"
import type { ActionStore } from "../pipeline/stores/pending-actions.ts"
import { CallSpan } from "../tracing/call-span.ts"
import type { ExecutorWatcher } from "./watcher.ts"
import type { Watchers } from "./watchers.ts"

/** What is looked at. */
export interface Watched {
  readonly watchers: Watchers
  readonly calls: ActiveCalls
  readonly actions: ActionStore
  readonly stamps: EventStamps
}

const startOf = (record: CallRecord): Array<ToolEvent> => {
  if (!record.started) return []
  const { agentId, callId, name, params, background } = record.call
  const started: ToolEvent = { _tag: "Started", agentId, callId, name, params, background, seq: 0, at: 0 }
  if (record.announced !== "yes") return [started]
  return [started, { _tag: "BackgroundStarted", agentId, callId, name, seq: 0, at: 0 }]
}

/** Only where it was put to the host: what rules and reviewers still decide is nobody's question. */
const questionOf = (call: EnqueuedCall, record: CallRecord): Array<ToolEvent> => {
  const question = openQuestion(record)
  return question?.kind === "approval" && question.put ? [approvalEvent(call.actor, question)] : []
}

/** Gives what takes the watcher out again. */
export const watch = (
  watcher: ExecutorWatcher,
  { watchers, calls, actions, stamps }: Watched,
): (() => void) => {
  expectOptions("watch", watcher, ["queued", "event", "decided", "forgotten", "tracer"])
  // To this one alone: the others know.
  const only = watchers.alone(watcher)
  const tell = (event: ToolEvent): void => {
    stamps.date(event)
    only.event(event)
  }
  for (const call of calls.all()) {
    const record = call.look()
    only.queued(record.call)
    for (const event of startOf(record)) tell(event)
    if (watcher.tracer !== undefined && record.started) {
      call.actor.span ??= new CallSpan([], record.call, call.tool)
      call.actor.span.join(watcher.tracer, record, call.tool)
    }
    for (const event of questionOf(call, record)) tell(event)
  }
  for (const agentId of actions.agentIds()) {
    for (const action of actions.open(agentId)) tell(pendingEvent(agentId, action))
  }
  return watchers.add(watcher)
}
