/** `context.delta` and `context.delegate`: how a running handler streams text and asks its host. */

import { formatMillis } from "../../model/duration.ts"
import type { HostEffect } from "../../model/host-effect.ts"
import type { DurationInput } from "../../model/step.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { Attempt, Call } from "../call/call.ts"
import type { Engine } from "../engine.ts"
import { blocked, unblocked } from "../time/call-time.ts"
import { BlockedDelta, rejectedDelta } from "./blocked-delta.ts"
import { MidwayQuestions } from "./midway.ts"
import { CallStream } from "./stream.ts"

/** Streams a text. Returns a promise if the handler has to wait for the consumer. */
export const streamed = (call: Call, content: string, partial: unknown): Promise<void> | undefined => {
  call.stream ??= new CallStream(call)
  call.stream.transcript.append(content)
  return call.to.sink.delta(call.stream, content, partial)
}

/** `delta` of a handler's context. */
export const delta = (
  engine: Engine,
  call: Call,
  attempt: Attempt,
  content: string,
  partial: unknown,
): Promise<void> => {
  const refusal = refusalOf(engine, call, attempt)
  if (refusal !== undefined) return rejectedDelta(refusal)
  if (attempt.isOver) return rejectedDelta(new DOMException("The call has ended", "AbortError"))
  const room = streamed(call, String(content), partial)
  if (room !== undefined) {
    // A handler that streams again is not waiting for its last delta, so its time runs on.
    if (attempt.blocked === undefined) blocked(engine, call)
    else unblocked(engine, call)
  }
  const wait = room ?? engine.budget.room()
  if (wait === undefined) return Promise.resolve()
  attempt.blocked ??= new BlockedDelta(wait, () => {
    attempt.blocked = undefined
    unblocked(engine, call)
  })
  return attempt.blocked.promise
}

/** `delegate` of a handler's context. */
export const delegate = (
  engine: Engine,
  call: Call,
  attempt: Attempt,
  effect: HostEffect,
  timeout: DurationInput | undefined,
): Promise<ToolOutput | undefined> => {
  const refusal = refusalOf(engine, call, attempt)
  if (refusal !== undefined) return rejectedDelta(refusal)
  attempt.questions ??= new MidwayQuestions(
    (asked, within) =>
      !attempt.isOver &&
      engine.receive(call, { _tag: "Asked", run: call.run, effect: asked, timeout: within }),
  )
  return attempt.questions.ask(effect, timeout)
}

/** Why the handler can no longer stream or ask: the call was cancelled, possibly before the handler was aborted. */
export const refusalOf = (engine: Engine, call: Call, attempt: Attempt): unknown => {
  if (attempt.reason !== undefined || call.state._tag !== "Stopping") return attempt.reason
  attempt.refusal ??= stopReason(call, engine.settings.finallyTimeout)
  return attempt.refusal
}

/** The reason with which a handler's signal is aborted. */
export const stopReason = ({ state, outcome }: Call, finallyTimeout: number): DOMException => {
  if (state._tag !== "Stopping" && state._tag !== "Ended") {
    const late = `The finally handler did not end within ${formatMillis(finallyTimeout)}`
    return new DOMException(late, "TimeoutError")
  }
  const known = state._tag === "Ended" ? outcome : state.then._tag === "End" ? state.then.outcome : undefined
  if (known === undefined || known._tag === "Completed") {
    return new DOMException("Runs again with edited parameters", "AbortError")
  }
  const isLate = known._tag === "Error" && known.reason === "timeout"
  return new DOMException(known.message, isLate ? "TimeoutError" : "AbortError")
}
