/** Lets somebody look on: what is there already is told first, as if it began now, and then what happens. */
import { approvalEvent, openQuestion } from "./call/asking.ts"
import type { ActiveCalls } from "./call/calls.ts"
import type { EnqueuedCall } from "./call/enqueued.ts"
import { CallSpan } from "./call/tracing.ts"
import type { EventStamps } from "./events/event-stamps.ts"
import type { Watchers } from "./events/watchers.ts"
import type { ToolEvent } from "./model/event.ts"
import type { ExecutorWatcher } from "./model/watcher.ts"
import type { ActionStore } from "./stores/pending-actions.ts"

/** What is looked at. */
export interface Watched {
  readonly watchers: Watchers
  readonly calls: ActiveCalls
  readonly actions: ActionStore
  readonly stamps: EventStamps
}

const startOf = ({ call, record }: EnqueuedCall): Array<ToolEvent> => {
  const { agentId, callId, name } = call
  if (!record.started) return []
  const { params, background } = record.call
  const started: ToolEvent = { _tag: "Started", agentId, callId, name, params, background, seq: 0, at: 0 }
  if (record.announced !== "yes") return [started]
  return [started, { _tag: "BackgroundStarted", agentId, callId, name, seq: 0, at: 0 }]
}

/** Only where it was put to the host: what rules and reviewers still decide is nobody's question. */
const questionOf = ({ record, actor }: EnqueuedCall): Array<ToolEvent> => {
  const question = openQuestion(record)
  return question?.kind === "approval" && question.put ? [approvalEvent(actor, question)] : []
}

function* actionsIn(actions: ActionStore): Generator<ToolEvent> {
  for (const agentId of actions.agentIds) {
    for (const { actionId, label, sourceToolName, staging } of actions.open(agentId)) {
      const source = staging && { sourceCallId: staging.call.callId }
      yield { _tag: "ActionPending", agentId, actionId, label, sourceToolName, ...source, seq: 0, at: 0 }
    }
  }
}

/** Gives what takes the watcher out again. */
export const watch = (
  watcher: ExecutorWatcher,
  { watchers, calls, actions, stamps }: Watched,
): (() => void) => {
  // To this one alone: the others know.
  const only = watchers.alone(watcher)
  const tell = (event: ToolEvent): void => {
    stamps.date(event)
    only.event(event)
  }
  for (const call of calls.all()) {
    only.queued(call.record.call)
    for (const event of startOf(call)) tell(event)
    if (watcher.tracer !== undefined && call.record.started) {
      call.actor.span ??= new CallSpan([], call.record.call, call.tool)
      call.actor.span.join(watcher.tracer, call.record, call.tool)
    }
    for (const event of questionOf(call)) tell(event)
  }
  for (const event of actionsIn(actions)) tell(event)
  return watchers.add(watcher)
}
