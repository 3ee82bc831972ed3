/**
 * One call, from `enqueue` to its last event: its input, its data, its plan, and its runtime objects (fibers, timers, signals).
 * `transition` changes the data. The data of a call at rest is plain JSON, so a snapshot can store the call; the plan is not
 * stored, because `compose` builds it again from the parameters.
 */
import { AsyncResource } from "node:async_hooks"
import type { Fiber } from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { ToolCall } from "../../model/call.ts"
import type { DecidedBy } from "../../model/decision.ts"
import type { ActionResolvedEvent, TerminalEvent, ToolResult } from "../../model/event.ts"
import type { CallMemory, EffectHandler, HandlerContext, Resolution } from "../../model/handler.ts"
import type { Mutable } from "../../model/mutable.ts"
import type { Outcome, Stopped } from "../../model/outcome.ts"
import type { FinallyPart, PipelinePart } from "../../model/pipeline.ts"
import type { StagedAction } from "../../model/staged-action.ts"
import type { Step } from "../../model/step.ts"
import type { Tool } from "../../model/tool.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import type { CallSpan } from "../../tracing/call-span.ts"
import type { HandlerTrace } from "../../tracing/tracer.ts"
import type { CallReceipts, GivenReceipt } from "../../undo/receipts.ts"
import type { BlockedDelta } from "../context/blocked-delta.ts"
import type { MidwayQuestions } from "../context/midway.ts"
import type { CallStream } from "../context/stream.ts"
import type { EventSink } from "../events/event-sink.ts"
import type { NestedCalls } from "../nested/nested-calls.ts"
import type { CallTimer } from "../time/call-timer.ts"
import { type ActionLinks, type Answer, type CallState, type Place, queued, type Resume } from "./state.ts"

const manually = { requireManualDestroy: true }

/**
 * When a call was enqueued, and the async context (`AsyncLocalStorage`) that all of its code runs in. Calls that are enqueued
 * together share one origin.
 */
export class Origin extends AsyncResource {
  /** Epoch milliseconds. Undefined for a single call that starts at once: reading the clock would cost more than the date is worth. */
  readonly at: number | undefined

  constructor(at: number | undefined) {
    super("stepline.call", manually)
    this.at = at
  }
}

/** The receivers of a call's events and result. */
export interface Recipient {
  readonly sink: EventSink
  /** Receives the call's one result. */
  readonly onResult?: ((result: ToolResult) => void) | undefined
  /** Called instead of `onResult` when the executor shuts down first: the call then continues in the next process. */
  readonly onLeft?: ((error: Error) => void) | undefined
  /** The call whose handler made this one with `context.call`. */
  readonly outer?: Call | undefined
  /** The turn that the call belongs to, for limits. Default: the call's origin. */
  readonly turn?: object | undefined
  /** The caller's signal. A call whose signal is already aborted does not start. */
  readonly signal?: AbortSignal | undefined
}

/** One run through the handlers of a pipeline, with the resources that the run holds open. */
export class Attempt {
  /** The context that the handlers receive, and its bound functions once a handler has read them. */
  context: HandlerContext | undefined = undefined
  delta: HandlerContext["delta"] | undefined = undefined
  delegate: HandlerContext["delegate"] | undefined = undefined
  /** The call as handlers see it, once a handler has read it, and its data. */
  callable: HandlerContext["call"] | undefined = undefined
  subject: ToolCall | undefined = undefined
  /** The handler that is running, and its trace. */
  handler: EffectHandler<unknown> | undefined = undefined
  trace: HandlerTrace | undefined = undefined
  generator: AsyncIterator<Step, unknown> | undefined = undefined
  fiber: Fiber<unknown, unknown> | undefined = undefined
  /** The scope of the resources that the handlers' Effects acquire. Created when the first Effect runs. */
  scope: Scope.Closeable | undefined = undefined
  /** The delta that waits for its consumer, and the questions that a handler asks through the context. */
  blocked: BlockedDelta | undefined = undefined
  questions: MidwayQuestions | undefined = undefined
  /** The output that the running handler alone sees: the host's answer to a finally handler's effect, or a step of `runHandler`. */
  answer: ToolOutput | undefined = undefined
  /** Why the attempt was aborted; undefined while nothing has aborted it. */
  reason: unknown = undefined
  /** The abort reason that a handler has already received from `delta` or `delegate`, before the attempt itself is aborted. */
  refusal: DOMException | undefined = undefined
  /** Whether the attempt's last handler has ended. */
  isOver = false
  private controller: AbortController | undefined = undefined

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController()
      if (this.reason !== undefined) this.controller.abort(this.reason)
    }
    return this.controller.signal
  }

  /** Aborts the running handler, and rejects the delta and the questions that the handler waits for. */
  abort(reason: unknown): void {
    this.reason = reason
    this.handlerEnded(reason)
    this.blocked?.reject(reason)
    this.questions?.close(reason)
    this.controller?.abort(reason)
  }

  /** Ends the trace of the handler. */
  handlerEnded(failure: unknown): void {
    this.trace?.end(failure)
    this.trace = undefined
  }

  /** Closes the generator as `break` does. Returns undefined if there is nothing to wait for. */
  closeGenerator(): Promise<unknown> | undefined {
    const { generator } = this
    this.generator = undefined
    return generator?.return === undefined ? undefined : closing(generator)
  }
}

const closing = async (generator: AsyncIterator<Step, unknown>): Promise<void> => {
  await generator.return?.()
}

const noParts: ReadonlyArray<never> = []
const noLinks: ActionLinks = {
  resolving: undefined,
  sourceCallId: undefined,
  settled: undefined,
  staged: undefined,
}

/** One call. It has no methods: `transition` changes its data, and the driver carries out the resulting commands. */
export class Call {
  // --- The input

  readonly toolCall: Mutable<ToolCall>
  readonly tool: Tool<unknown> | undefined
  readonly to: Recipient
  readonly origin: Origin
  /** Whether the executor counts the call among its active calls. False for a call that was refused at once. */
  isActive = false
  /** Whether the call has its lane's turn, or is about to get the turn. The lane sets this flag. */
  hasTurn = false
  /** Whether another process continues the call: this process ignores all further input for the call. */
  isLeft = false

  // --- The data

  state: CallState = queued
  /** The call that handlers see: `toolCall`, or, while this call applies an action, the call that staged the action. */
  subject: ToolCall
  /** The index of the part that is running or waiting. */
  at = 0
  /** Whether the handler at `at` is a generator that has not finished. */
  more = false
  /** The number of attempts at the part `at`, or at the running finally handler. More than 1 if processes ended, perhaps while it ran. */
  attempts = 0
  /** Counts the handlers and generator reads that were started. A result with an older number is late and is ignored. */
  run = 0
  /** Counts questions. An answer with an older number is late and is ignored. */
  asked = 0
  output: ToolOutput | undefined = undefined
  /** The output at the last gate: a preview of the work, until a handler after the gate replaces it. */
  preview: ToolOutput | undefined = undefined
  /** The object in which handlers pass data to later handlers. Created when a handler first reads it. */
  memory: CallMemory | undefined = undefined
  /** How the last gate was decided, as handlers see it. */
  resolution: Resolution | undefined = undefined
  /** The host's answer at the last gate that the host decided. */
  approval: Resolution | undefined = undefined
  /** The party that decided the last gate. */
  decidedBy: DecidedBy | undefined = undefined
  /** The number of gates that were passed in this attempt. */
  passed = 0
  /** The number of gates that were decided before the call restarted with edited parameters. These do not ask again. */
  decided = 0
  place: Place = "none"
  /** The answer to the running handler's `context.delegate`, kept while the call waits for a place in the background pool again. */
  reply: Answer | undefined = undefined
  /** Whether `Started` was emitted. */
  started = false
  /** Whether `BackgroundStarted` was emitted. `due`: the event is emitted next, unless the call ends first. */
  announced: false | "due" | "yes" = false
  /** Whether the host edited the parameters. */
  edited = false
  /** The kind of allow rule to add once the edited parameters are validated. */
  remember: RememberChoice | false = false
  /** The number of ended nested calls that the handlers made: the next handler's ids continue from here. */
  called = 0
  /**
   * For a nested call that a journal stores: identifies the call, to detect whether the handler makes the same one when
   * it runs again.
   */
  madeWith: string | undefined = undefined
  /** What handlers with an `undo` of their own have done, and what a call of `undo` has taken back. */
  receipts: CallReceipts | undefined = undefined
  /** Whether a handler acquired resources that have to be released at the end of the attempt. */
  scoped = false
  /** The pending action that this call of `resolve` is applying or discarding. */
  action: StagedAction | undefined = undefined
  /** Always replaced, never mutated: calls without links share one object. */
  links: ActionLinks = noLinks
  /** Whether the output is that of an earlier call with the same idempotency key. */
  deduplicated = false
  /** Where a restored call continues as soon as it has its turn. */
  resume: Resume | undefined = undefined
  /** The outcome of a call that is refused when its turn comes, before any handler runs. */
  refusal: Stopped | undefined = undefined
  outcome: Outcome | undefined = undefined
  cleanupErrors: Array<string> | undefined = undefined
  /** When the call started, in epoch milliseconds. Only set if its tool may run in the background. */
  startedAt: number | undefined = undefined
  /** The terminal event, after the output check and the `afterCall` hook. */
  ending: TerminalEvent | undefined = undefined
  /** The `ActionResolved` event to emit with the call's end. Not before: the finally handlers that run until then belong to the action. */
  resolved: ActionResolvedEvent | undefined = undefined

  // --- The plan that `compose` returned

  parts: ReadonlyArray<PipelinePart<unknown>> = noParts
  /** The finally handlers. Empty once a staged action has taken them over. */
  finals: ReadonlyArray<FinallyPart<unknown>> = noParts

  // --- Runtime objects, which no snapshot can hold. Each is created when first needed

  /** The current run through the handlers: a fiber, promise or generator, with its signal. */
  attempt: Attempt | undefined = undefined
  /** The idempotency key that the call holds. */
  key: string | undefined = undefined
  /** The number of the `run` that the driver started last, so that each run starts only once. */
  begun = 0
  timer: CallTimer | undefined = undefined
  stream: CallStream | undefined = undefined
  nested: NestedCalls<Call> | undefined = undefined
  /** A planned call may run once this promise settles. */
  turn: PromiseLike<unknown> | undefined = undefined
  span: CallSpan | undefined = undefined
  /** The signal for the host function that the call waits for: a hook, a reviewer, or a function of `delegates`. */
  controller: AbortController | undefined = undefined
  /** The id of the last question that the host was asked. A question cannot be answered while its store has not stored it yet. */
  told = 0
  /** The sequence of the open effect's event in the event queue. */
  askedAt = 0
  /** The number of the event that asked the open gate. */
  askedSeq = 0
  /** Set for a restored call: what its earlier process recorded. */
  earlier: Earlier | undefined = undefined

  constructor(toolCall: ToolCall, tool: Tool<unknown> | undefined, to: Recipient, origin: Origin) {
    this.toolCall = toolCall
    this.subject = toolCall
    this.tool = tool
    this.to = to
    this.origin = origin
  }
}

/** What a restored call keeps from its earlier process besides its data. */
export interface Earlier {
  /** The number of its last question, and for how many milliseconds that question had been open. */
  readonly asked: number
  readonly waited: number
  /** For how many milliseconds the call may still run; undefined if it had not run under a time limit. */
  readonly timeLeft: number | undefined
  /** Receipts of the handler that may run again, which then gives them again. */
  readonly receipts: Array<GivenReceipt>
  /** The call's `traceparent`. A later process needs it even if this process does not trace the call. */
  readonly traceParent: string | undefined
}

/** The part whose handler runs or is next; undefined before the pipeline is composed, and after its last part. */
export const currentPart = ({ state, parts, finals, at }: Call): PipelinePart<unknown> | undefined =>
  state._tag === "Cleaning" ? finals[state.part] : parts[at]

/** The lane that the call takes turns in. */
export const laneOf = ({ lane, agentId }: ToolCall): string => lane ?? agentId

/** When the call was enqueued or, if that was not recorded, when it started; `now` if neither is known. Epoch milliseconds. */
export const createdAt = ({ origin, startedAt }: Call, now: number): number => origin.at ?? startedAt ?? now
