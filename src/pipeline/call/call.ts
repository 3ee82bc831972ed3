/**
 * One call, from its enqueueing to its end: what it was enqueued with, its data, its plan, and what it holds that cannot be
 * data. `transition` changes the data; at rest they are plain JSON, and the plan is composed again from the parameters.
 */
import { AsyncResource } from "node:async_hooks"
import type { Fiber } from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { ToolOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import type { CallSpan } from "../../tracing/call-span.ts"
import type { HandlerTrace } from "../../tracing/tracer.ts"
import type { EventSink } from "../events/event-sink.ts"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { ActionResolvedEvent, TerminalEvent, ToolResult } from "../model/event.ts"
import type { CallMemory, EffectHandler, HandlerContext, Resolution } from "../model/handler.ts"
import type { Mutable } from "../model/mutable.ts"
import type { Outcome, Stopped } from "../model/outcome.ts"
import type { FinallyPart, PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Step } from "../model/step.ts"
import type { Tool } from "../model/tool.ts"
import type { BlockedDelta } from "./blocked-delta.ts"
import type { CallTimer } from "./call-timer.ts"
import type { MidwayQuestions } from "./midway.ts"
import { type ActionLinks, type Answer, type CallState, type Place, queued, type Resume } from "./state.ts"
import type { CallStream } from "./stream.ts"

const manually = { requireManualDestroy: true }

/**
 * Where a call comes from: when it was enqueued, and in which async context (`AsyncLocalStorage`) all of it runs. Calls that are
 * enqueued together share one.
 */
export class Origin extends AsyncResource {
  /** Epoch milliseconds. Undefined for a single call whose turn comes at once. */
  readonly at: number | undefined

  constructor(at: number | undefined) {
    super("stepline.call", manually)
    this.at = at
  }
}

/** Who is told of a call. */
export interface Recipient {
  readonly sink: EventSink
  /** Told the call's one result. */
  readonly onResult?: ((result: ToolResult) => void) | undefined
  /** Told where the executor is left before there is a result: the call goes on in the next process. */
  readonly onLeft?: ((error: Error) => void) | undefined
  /** The caller's signal: once it is aborted, the call does not start. */
  readonly signal?: AbortSignal | undefined
}

/** One run through the handlers of a pipeline, and what is open of it. */
export class Attempt {
  /** What its handlers see, and the bound functions of it that one has read. */
  context: HandlerContext | undefined = undefined
  delta: HandlerContext["delta"] | undefined = undefined
  delegate: HandlerContext["delegate"] | undefined = undefined
  /** The handler that runs, and who traces it. */
  handler: EffectHandler<unknown> | undefined = undefined
  trace: HandlerTrace | undefined = undefined
  generator: AsyncIterator<Step, unknown> | undefined = undefined
  fiber: Fiber<unknown, unknown> | undefined = undefined
  /** What its Effects acquired. Made when the first one runs. */
  scope: Scope.Closeable | undefined = undefined
  /** The delta that waits for room, and what was asked through the context. */
  blocked: BlockedDelta | undefined = undefined
  questions: MidwayQuestions | undefined = undefined
  /** What a finally handler's effect was answered with: that handler sees it, and nobody else. */
  answer: ToolOutput | undefined = undefined
  /** Why it was ended from outside. */
  reason: unknown = undefined
  /** The same, where its handler was refused something before it was told. */
  refusal: DOMException | undefined = undefined
  /** Whether its last handler has ended. */
  isOver = false
  private controller: AbortController | undefined = undefined

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController()
      if (this.reason !== undefined) this.controller.abort(this.reason)
    }
    return this.controller.signal
  }

  /** Tells its handler that nobody waits for it. */
  abort(reason: unknown): void {
    this.reason = reason
    this.left(reason)
    this.blocked?.reject(reason)
    this.questions?.close(reason)
    this.controller?.abort(reason)
  }

  /** Its handler has ended. */
  left(failure: unknown): void {
    this.trace?.end(failure)
    this.trace = undefined
  }

  /** Closes its generator as `break` does; undefined where there is nothing to wait for. */
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

/** One call. It has no methods: `transition` moves it, and the driver carries out what follows. */
export class Call {
  // --- What it was enqueued with

  readonly toolCall: Mutable<ToolCall>
  readonly tool: Tool<unknown> | undefined
  readonly to: Recipient
  readonly origin: Origin
  /** Whether the executor has it: a call that is refused at once was never one of its calls. */
  isActive = false
  /** Whether it has its lane's turn, or is about to get it. Its lane sets this. */
  hasTurn = false
  /** Whether it goes on in another process: here nothing happens to it any more. */
  isLeft = false

  // --- Its data

  state: CallState = queued
  /** What handlers see as their call: `toolCall`, or, while it applies an action, the call that staged the action. */
  subject: ToolCall
  /** The index of the part that runs or waits. */
  at = 0
  /** Whether the handler at `at` is a generator with more steps to give. */
  more = false
  /** Counts what was begun: handlers, and reads of a generator. An answer to an earlier one is late. */
  run = 0
  /** Counts questions, likewise. */
  asked = 0
  output: ToolOutput | undefined = undefined
  /** The output at the last gate: what would be done, until a handler behind the gate says what was. */
  preview: ToolOutput | undefined = undefined
  /** What the handlers tell each other. Made when one first looks at it. */
  memory: CallMemory | undefined = undefined
  /** How the last gate was decided, as handlers see it. */
  resolution: Resolution | undefined = undefined
  /** What the host said at the last gate that it decided. */
  approval: Resolution | undefined = undefined
  /** Who decided the last gate. */
  decidedBy: DecidedBy | undefined = undefined
  /** Gates passed in this attempt. */
  passed = 0
  /** Gates decided before the call ran again with edited parameters: they are not asked again. */
  decided = 0
  place: Place = "none"
  /** The answer to what the running handler asked through its context, while the call waits for a place again. */
  reply: Answer | undefined = undefined
  /** Whether the host was told of its start. */
  started = false
  /** Whether the host knows that it runs in the background. `due`: the host is told next, unless the call ends before. */
  announced: "no" | "due" | "yes" = "no"
  /** Whether the parameters are the host's. */
  edited = false
  /** What a rule is to be made of, once the parameters are checked. */
  remember: RememberChoice | false = false
  /** Whether something acquired resources that end with the attempt. */
  scoped = false
  /** The pending action that this call of `resolve` applies or discards, while it does. */
  action: StagedAction | undefined = undefined
  /** Replaced, and never changed: most calls share those of a call that has none. */
  links: ActionLinks = noLinks
  /** How a restored call goes on as soon as it has its turn. */
  resume: Resume | undefined = undefined
  /** What it ends with in its turn, with nothing run. */
  refusal: Stopped | undefined = undefined
  outcome: Outcome | undefined = undefined
  cleanupErrors: Array<string> | undefined = undefined
  /** Epoch milliseconds of its start, for a tool that may run in the background. */
  startedAt: number | undefined = undefined
  /** Its last event, once that was checked, and as the host's hook leaves it. */
  ending: TerminalEvent | undefined = undefined
  /** What its end tells of the action that it resolved: the finally handlers before that belong to the action. */
  resolved: ActionResolvedEvent | undefined = undefined

  // --- Its plan: what `compose` gave

  parts: ReadonlyArray<PipelinePart<unknown>> = noParts
  /** What is to be cleaned up with. Empty once an action has taken it over. */
  finals: ReadonlyArray<FinallyPart<unknown>> = noParts

  // --- What cannot be data; each is made when it is first needed

  /** What runs: a fiber, a promise, a generator, and their signal. */
  attempt: Attempt | undefined = undefined
  /** The `run` that was begun last: each is begun once. */
  begun = 0
  timer: CallTimer | undefined = undefined
  stream: CallStream | undefined = undefined
  span: CallSpan | undefined = undefined
  /** The signal of the host's function that is asked: a hook, a reviewer, or what answers an effect. */
  controller: AbortController | undefined = undefined
  /** Where the event of the open effect stands in the queue of events. */
  askedAt = 0
  /** What an earlier process knew of it. */
  earlier: Earlier | undefined = undefined

  constructor(toolCall: ToolCall, tool: Tool<unknown> | undefined, to: Recipient, origin: Origin) {
    this.toolCall = toolCall
    this.subject = toolCall
    this.tool = tool
    this.to = to
    this.origin = origin
  }
}

/** What a restored call brings along beside its data. */
export interface Earlier {
  /** Milliseconds that its question was open. */
  readonly waited: number
  /** Milliseconds that it may still run; undefined where it has not run within a limit. */
  readonly timeLeft: number | undefined
  /** Its `traceparent`, for a later process, where nobody traces it in this one. */
  readonly traceParent: string | undefined
}

/** The lane that it takes turns in. */
export const laneOf = ({ toolCall: { lane, agentId } }: Call): string => lane ?? agentId

/** When it was enqueued, or, where that was not noted, when it started. Epoch milliseconds, as `now` is. */
export const createdAt = ({ origin, startedAt }: Call, now: number): number => origin.at ?? startedAt ?? now
