/** `context.call`: a running handler runs another tool as a separate call, which uses the outer call's turn in its lane. */
import { createHash } from "node:crypto"
import type { ToolCall } from "../../model/call.ts"
import { byCall } from "../../model/decision.ts"
import type { ErrorReason, ToolResult } from "../../model/event.ts"
import { expectOptions, expectSignal, expectText, got } from "../../model/got.ts"
import type { NestedOptions } from "../../model/handler.ts"
import { backgroundResult, failed, resultOf, type Stopped } from "../../model/outcome.ts"
import { isThenable } from "../../model/thenable.ts"
import { whenAborted } from "../../model/when-aborted.ts"
import { textOutput } from "../../output/output.ts"
import type { Attempt, Call } from "../call/call.ts"
import type { Journal, NestedEnd } from "../call/journal.ts"
import { rejectedDelta } from "../context/blocked-delta.ts"
import { refusalOf } from "../context/streaming.ts"
import type { Engine } from "../engine.ts"
import { submit } from "../intake.ts"
import { NestedCalls, type Waiter } from "./nested-calls.ts"
import { NestedSink } from "./nested-sink.ts"
import { giveTurn } from "./turns.ts"

/** The maximum depth of nested calls. */
const mostDepth = 8

const tooDeep = failed(
  "limit",
  `Calls are nested ${mostDepth} deep, and no deeper: this one was not run. Do its work in the call that made it.`,
)

const depthOf = ({ to }: Call): number => (to.outer === undefined ? 0 : 1 + depthOf(to.outer))

/** The call that a handler makes. Its gates ask as if it had no outer call. */
const nestedCall = (
  engine: Engine,
  { toolCall: { agentId, callId, turn, meta } }: Call,
  place: number,
  name: string,
  params: unknown,
  { label, after }: NestedOptions,
): ToolCall => ({
  ...engine.toToolCall({
    agentId,
    callId: `${callId}/${place}`,
    name,
    ...(params !== undefined && { params }),
    ...(turn !== undefined && { turn }),
    ...(meta !== undefined && { meta }),
  }),
  parentId: callId,
  ...(label !== undefined && { label }),
  ...(after !== undefined && { planned: true }),
})

/** `call` of a handler's context. */
export const callTool = (
  engine: Engine,
  call: Call,
  attempt: Attempt,
  name: string,
  params: unknown,
  given: NestedOptions | undefined,
): Promise<ToolResult> => {
  expectOptions("call", given, ["label", "signal", "after"])
  const options = given ?? {}
  const { label, signal, after } = options
  expectText("label", label)
  expectSignal(signal)
  if (after !== undefined && !isThenable(after))
    throw new TypeError(`Expected \`after\` of \`call\` to be a promise, ${got(after)}`)
  const refusal = refusalOf(engine, call, attempt)
  if (refusal !== undefined) return rejectedDelta(refusal)
  if (attempt.isOver) return rejectedDelta(new DOMException("The call has ended", "AbortError"))
  call.nested ??= new NestedCalls(call.called)
  const { nested } = call
  const toolCall = nestedCall(engine, call, nested.made + 1, name, params, options)
  nested.made += 1
  const result =
    engine.journal === undefined
      ? make(engine, call, nested, toolCall, options, undefined)
      : makeOnce(engine, engine.journal, call, nested, toolCall, attempt, options)
  // A cancelled handler may never await the promise.
  result.catch(() => undefined)
  return result
}

type Nested = NestedCalls<Call>

const make = (
  engine: Engine,
  call: Call,
  nested: Nested,
  toolCall: ToolCall,
  options: NestedOptions,
  madeWith: string | undefined,
): Promise<ToolResult> =>
  new Promise<ToolResult>((resolve, reject) => {
    const made = submit(engine, toolCall, {
      sink: new NestedSink(call.to.sink, call.toolCall.callId),
      outer: call,
      inLane: false,
      turn: call.to.turn ?? call.origin,
      refusal: depthOf(call) >= mostDepth ? tooDeep : undefined,
      signal: options.signal,
      onResult: (told) => engine.nestedEnded(made, told),
      onLeft: reject,
    })
    made.madeWith = madeWith
    // What the handler has noted so far is stored together with the call.
    if (call.memory !== undefined) engine.journal?.moved(call)
    waitFor(engine, nested, made, options, { resolve, reject })
  })

/** Resolves once the call has ended. The signal cancels this call alone. */
const waitFor = (
  engine: Engine,
  nested: Nested,
  made: Call,
  { signal, after }: NestedOptions,
  { resolve, reject }: Waiter,
): void => {
  const release =
    signal && whenAborted(signal, () => made.isActive && engine.cancelOne(made, undefined, byCall))
  nested.add(made, {
    resolve: (result) => {
      release?.()
      resolve(result)
    },
    reject,
  })
  giveTurn(engine, made, after)
  engine.nestedMoved(made)
}

// --- Stored calls, whose handlers may run again

/** Identifies the outer call, because an earlier call may have had the same id. */
const eraOf = ({ origin }: Call): string => `${origin.at} `

/** Distinguishes the calls that a handler may make at the same position. */
const fingerprint = ({ name, params }: ToolCall, call: Call): string =>
  eraOf(call) +
  createHash("sha256")
    .update(JSON.stringify([name, params]))
    .digest("base64")

const errorOf = (content: string, reason: ErrorReason): ToolResult => ({
  status: "error",
  content,
  output: textOutput(content),
  isError: true,
  reason,
})

const diverged = (before: string, { callId, name }: ToolCall): ToolResult =>
  errorOf(
    `Diverged: "${callId}" was a call of "${before}" before the process ended, and is now one of "${name}", or has other parameters. Nothing was run. A handler that runs again has to make the same calls in the same order.`,
    "diverged",
  )

const resultOfEnd = ({ event }: NestedEnd): ToolResult => {
  if (event._tag === "BackgroundCompleted") return backgroundResult(event.callId)
  // An end that was not JSON or was too long is stored as a sentence that explains this.
  const isKept = event._tag !== "Completed" || event.output !== undefined
  return isKept ? resultOf(event) : errorOf(event.content, "failed")
}

/**
 * Makes a nested call of a call whose process ended. The handler makes its nested calls again in the same order: each returns its
 * stored result, or continues.
 */
const makeOnce = async (
  engine: Engine,
  journal: Journal,
  call: Call,
  nested: Nested,
  toolCall: ToolCall,
  attempt: Attempt,
  options: NestedOptions,
): Promise<ToolResult> => {
  const madeWith = fingerprint(toolCall, call)
  if (call.earlier === undefined) return make(engine, call, nested, toolCall, options, madeWith)
  const open = engine.calls.get(toolCall.callId)
  if (open?.to.outer === call && nested.has(open)) {
    if (open.madeWith !== madeWith) return diverged(open.toolCall.name, toolCall)
    return new Promise((resolve, reject) => waitFor(engine, nested, open, options, { resolve, reject }))
  }
  const { run } = call
  const end = await journal.nestedEnd(toolCall.callId)
  if (attempt.reason !== undefined) throw attempt.reason
  if (call.run !== run) throw new DOMException("The handler has ended", "AbortError")
  if (end?.madeWith?.startsWith(eraOf(call)) !== true)
    return make(engine, call, nested, toolCall, options, madeWith)
  return end.madeWith === madeWith ? resultOfEnd(end) : diverged(end.event.name, toolCall)
}
/** The outcome of the nested calls of an outer call that is stopped. */
const outcomeOfNested = ({ state }: Call): Stopped => {
  const known = state._tag === "Stopping" && state.then._tag === "End" ? state.then.outcome : undefined
  if (known?._tag === "Cancelled") return known
  const why = known === undefined || known._tag === "Completed" ? "its handler has ended" : known.message
  return { _tag: "Cancelled", message: `The outer call ended: ${why}`, decidedBy: byCall }
}

/**
 * Ends the nested calls of a handler that has ended. Returns whether any were open; if so, `act` is called once they have
 * ended.
 */
export const endsNested = (engine: Engine, call: Call, nested: Nested, act: () => void): boolean => {
  call.called = nested.made
  const { isOpen } = nested
  if (isOpen) afterNested(engine, call, nested, act)
  return isOpen
}

/** Cancels the open nested calls. `act` is called once they and their finally handlers have ended. */
export const afterNested = (engine: Engine, call: Call, nested: Nested, act: () => void): void => {
  nested.cancel(outcomeOfNested(call), (open, outcome) => engine.receive(open, { _tag: "Cancel", outcome }))
  nested.onceOver(() => call.origin.runInAsyncScope(act))
}
