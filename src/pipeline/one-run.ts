/** Runs one call for one caller: to its result, or yielding its events. */

import { abortError } from "../model/abort-error.ts"
import type { ToolCall } from "../model/call.ts"
import { byCall } from "../model/decision.ts"
import type { ToolEvent, ToolResult } from "../model/event.ts"
import { expectSignal } from "../model/got.ts"
import { whenAborted } from "../model/when-aborted.ts"
import type { Engine } from "./engine.ts"
import type { CallbackSink } from "./events/callback-sink.ts"
import type { EventQueue } from "./events/event-queue.ts"
import { type Submitting, submit } from "./intake.ts"

const lastTags: ReadonlySet<ToolEvent["_tag"]> = new Set([
  "Completed",
  "Error",
  "Denied",
  "Cancelled",
  "BackgroundCompleted",
])

/** Nested calls end before their outer call, so their terminal events are not the last one. */
const isLast = (event: ToolEvent, { callId }: ToolCall): boolean =>
  lastTags.has(event._tag) && "callId" in event && event.callId === callId

/** Yields the call's events, and returns its result. Leaving the loop cancels the call, and waits for its cleanup. */
export async function* pullEvents(
  engine: Engine,
  input: ToolCall,
  queue: EventQueue,
  signal: AbortSignal | undefined,
): AsyncGenerator<ToolEvent, ToolResult, undefined> {
  expectSignal(signal)
  if (signal?.aborted) throw abortError(signal)
  let result: ToolResult | undefined
  let left: Error | undefined
  const run = submit(engine, input, {
    sink: queue,
    onResult: (told) => {
      result = told
    },
    onLeft: (error) => {
      left = error
      queue.close()
    },
    signal,
  })
  const cancel = () => run.isActive && engine.cancelOne(run, undefined, byCall)
  const release = signal && whenAborted(signal, cancel)
  let isOver = false
  try {
    while (!isOver) {
      const event = await queue.next({ untilIdle: false })
      // The last event always arrives, unless another process continues the call.
      if (event === undefined) throw left!
      isOver = isLast(event, input)
      yield event
    }
  } finally {
    release?.()
    cancel()
    while (!isOver) {
      const event = await queue.next({ untilIdle: false })
      if (event === undefined) break
      isOver = isLast(event, input)
      if (event._tag === "Delegate") event.fail("Nobody reads the events of this call any more")
    }
  }
  if (signal?.aborted) throw abortError(signal)
  return result!
}

/** How `runToResult` adds its call. Calls with the same placement belong to one turn. */
export interface Placement extends Pick<Submitting, "inLane" | "refusal"> {
  /** Whether the promise resolves to the call's result even if the signal is aborted. */
  readonly settles?: boolean
}

/**
 * Runs a call to its result. If the signal is aborted, the promise rejects with an `AbortError` once the call is over, unless
 * `settles` is set. If another process continues the call, the promise rejects with an Error.
 */
export const runToResult = (
  engine: Engine,
  input: ToolCall,
  sink: CallbackSink,
  signal: AbortSignal | undefined,
  turn: Placement = {},
): Promise<ToolResult> => {
  const { inLane, refusal, settles = false } = turn
  expectSignal(signal)
  const result = new Promise<ToolResult>((resolve, reject) => {
    const isGone = () => signal?.aborted === true && !settles
    if (isGone()) return reject(abortError(signal!))
    let release: (() => void) | undefined
    const settle = (result: ToolResult) => {
      release?.()
      if (isGone()) reject(abortError(signal!))
      else resolve(result)
    }
    const onLeft = (error: Error) => {
      release?.()
      // A caller that does not await the promise must not get an unhandled rejection.
      result.catch(() => undefined)
      reject(error)
    }
    const run = submit(engine, input, { sink, onResult: settle, onLeft, signal, inLane, refusal, turn })
    if (run.isActive && signal)
      release = whenAborted(signal, () => run.isActive && engine.cancelOne(run, undefined, byCall))
  })
  return result
}
