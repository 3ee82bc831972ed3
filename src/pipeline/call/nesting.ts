/** `context.call`: a running handler runs another tool as a call of its own, in the place that the outer call has in its lane. */
import type { Engine } from "../engine.ts"
import { NestedSink } from "../events/nested-sink.ts"
import { submit } from "../intake.ts"
import type { ToolCall } from "../model/call.ts"
import { byCall } from "../model/decision.ts"
import type { ToolResult } from "../model/event.ts"
import { expectOptions, expectSignal, expectText } from "../model/got.ts"
import type { NestedOptions } from "../model/handler.ts"
import { failed, type Stopped } from "../model/outcome.ts"
import { whenAborted } from "../model/when-aborted.ts"
import { rejectedDelta } from "./blocked-delta.ts"
import type { Attempt, Call } from "./call.ts"
import { NestedCalls } from "./nested-calls.ts"
import { refusalOf } from "./streaming.ts"

/** How deep calls may be nested. */
const mostDepth = 8

const tooDeep = failed(
  "limit",
  `Calls are nested ${mostDepth} deep, and no deeper: this one was not run. Do its work in the call that made it.`,
)

const depthOf = ({ to }: Call): number => (to.outer === undefined ? 0 : 1 + depthOf(to.outer))

/** The call that a handler makes. It is asked about as if no other call were around it. */
const nestedCall = (
  engine: Engine,
  { toolCall: { agentId, callId, meta } }: Call,
  place: number,
  name: string,
  params: unknown,
  label: string | undefined,
): ToolCall => ({
  ...engine.toToolCall({
    agentId,
    callId: `${callId}/${place}`,
    name,
    ...(params !== undefined && { params }),
    ...(meta !== undefined && { meta }),
  }),
  parentId: callId,
  ...(label !== undefined && { label }),
})

/** `call` of a handler's context. */
export const callTool = (
  engine: Engine,
  call: Call,
  attempt: Attempt,
  name: string,
  params: unknown,
  options: NestedOptions = {},
): Promise<ToolResult> => {
  expectOptions("call", options, ["label", "signal"])
  const { label, signal } = options
  expectText("label", label)
  expectSignal(signal)
  const refusal = refusalOf(engine, call, attempt)
  if (refusal !== undefined) return rejectedDelta(refusal)
  if (attempt.isOver) return rejectedDelta(new DOMException("The call has ended", "AbortError"))
  call.nested ??= new NestedCalls(call.called)
  const nested = call.nested
  const toolCall = nestedCall(engine, call, nested.made + 1, name, params, label)
  nested.made += 1
  const result = new Promise<ToolResult>((resolve, reject) => {
    const made = submit(engine, toolCall, {
      sink: new NestedSink(call.to.sink, call.toolCall.callId),
      outer: call,
      inLane: false,
      turn: call.to.turn ?? call.origin,
      refusal: depthOf(call) >= mostDepth ? tooDeep : undefined,
      signal,
      onResult: (told) => {
        release?.()
        ended(engine, made)
        resolve(told)
      },
      onLeft: reject,
    })
    const release =
      signal && whenAborted(signal, () => made.isActive && engine.cancelOne(made, undefined, byCall))
    nested.add(made, reject)
    engine.nestedMoved(made)
  })
  // A cancelled handler may never await the promise.
  result.catch(() => undefined)
  return result
}

/** A nested call has ended, or has become a task: its outer call need not wait for it. */
const ended = (engine: Engine, call: Call): void => {
  call.to.outer?.nested?.ended(call)
  engine.nestedMoved(call)
}

/** What becomes of the nested calls of an outer call that is stopped. */
const outcomeOfNested = ({ state }: Call): Stopped => {
  const known = state._tag === "Stopping" && state.then._tag === "End" ? state.then.outcome : undefined
  if (known?._tag === "Cancelled") return known
  const why = known === undefined || known._tag === "Completed" ? "its handler has ended" : known.message
  return { _tag: "Cancelled", message: `The outer call ended: ${why}`, decidedBy: byCall }
}

type Nested = NestedCalls<Call>

/** The handler of a call has ended. Whether its nested calls have to end first: then `act` is called once they have. */
export const endsNested = (engine: Engine, call: Call, nested: Nested, act: () => void): boolean => {
  call.called = nested.made
  const { isOpen } = nested
  if (isOpen) afterNested(engine, call, nested, act)
  return isOpen
}

/** Cancels the open nested calls. `act` is called once they, and their finally handlers, are over. */
export const afterNested = (engine: Engine, call: Call, nested: Nested, act: () => void): void => {
  nested.cancel(outcomeOfNested(call), (open, outcome) => engine.receive(open, { _tag: "Cancel", outcome }))
  nested.onceOver(() => call.origin.runInAsyncScope(act))
}
