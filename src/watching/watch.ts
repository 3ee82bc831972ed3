/** Adds a watcher: it first receives events for the calls that are already active, as if they began now, and then all later events. */

import type { ToolEvent } from "../model/event.ts"
import { expectOptions } from "../model/got.ts"
import { pendingEvent } from "../pipeline/actions/action-events.ts"
import type { Call } from "../pipeline/call/call.ts"
import { openQuestion } from "../pipeline/call/state.ts"
import type { Engine } from "../pipeline/engine.ts"
import { approvalEvent } from "../pipeline/questions/asking.ts"
import { CallSpan } from "../tracing/call-span.ts"
import type { ExecutorWatcher } from "./watcher.ts"

const startOf = (call: Call): Array<ToolEvent> => {
  if (!call.started) return []
  const { agentId, callId, name, params, background } = call.toolCall
  const started: ToolEvent = { _tag: "Started", agentId, callId, name, params, background, seq: 0, at: 0 }
  if (call.announced !== "yes") return [started]
  return [started, { _tag: "BackgroundStarted", agentId, callId, name, seq: 0, at: 0 }]
}

/**
 * The event of an open gate that the host was asked about, with the number by which `answer` identifies the question. None while
 * rules and reviewers decide, or before a restored call has asked again: then the event follows by itself.
 */
const questionOf = (engine: Engine, call: Call): Array<ToolEvent> => {
  const question = openQuestion(call.state)
  if (question?.kind !== "approval" || !question.isAsked || call.askedSeq === 0) return []
  return [{ ...approvalEvent(engine, call, question), seq: call.askedSeq }]
}

/** Returns a function that removes the watcher. */
export const watch = (watcher: ExecutorWatcher, engine: Engine): (() => void) => {
  const { watchers, calls, actions, stamps } = engine
  const { turnBegan, turnEnded } = Object(watcher) as ExecutorWatcher
  if (turnBegan === undefined && turnEnded === undefined)
    expectOptions("watch", watcher, ["queued", "limited", "event", "decided", "forgotten", "left", "tracer"])
  // Only the new watcher receives these: the others have received them before.
  const only = watchers.alone(watcher)
  const tell = (event: ToolEvent): void => {
    stamps.date(event)
    only.event(event)
  }
  for (const call of calls.all()) {
    only.queued(call.toolCall)
    if (call.state._tag === "Limited") only.limited(call.toolCall, call.state.because)
    for (const event of startOf(call)) tell(event)
    if (watcher.tracer !== undefined && call.started) {
      call.span ??= new CallSpan([], call.toolCall, call.tool)
      call.span.join(watcher.tracer, call)
    }
    for (const event of questionOf(engine, call)) tell(event)
  }
  for (const agentId of actions.agentIds()) {
    for (const action of actions.open(agentId)) tell(pendingEvent(agentId, action))
  }
  return watchers.add(watcher)
}
