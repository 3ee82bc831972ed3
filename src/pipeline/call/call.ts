/**
 * One call, from its enqueueing to its end: what it was enqueued with, its data, its plan, and what it holds that cannot be
 * data. `transition` changes the data; at rest they are plain JSON, and the plan is composed again from the parameters.
 */
import { AsyncResource } from "node:async_hooks"
import type { ToolOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import type { CallSpan } from "../../tracing/call-span.ts"
import type { EventSink } from "../events/event-sink.ts"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { ActionResolvedEvent, TerminalEvent, ToolResult } from "../model/event.ts"
import type { CallMemory, Resolution } from "../model/handler.ts"
import type { Mutable } from "../model/mutable.ts"
import type { Outcome, Stopped } from "../model/outcome.ts"
import type { FinallyPart, PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Tool } from "../model/tool.ts"
import type { Attempt } from "./attempt.ts"
import type { CallTimer } from "./call-timer.ts"
import { type ActionTies, type Answer, type CallState, type Place, queued, type Resume } from "./state.ts"
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

const noParts: ReadonlyArray<never> = []
const noTies: ActionTies = {
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
  /** Whether it has a place in the background pool. The pool sets this. */
  hasPlace = false
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
  ties: ActionTies = noTies
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
  before: Before | undefined = undefined

  constructor(toolCall: ToolCall, tool: Tool<unknown> | undefined, to: Recipient, origin: Origin) {
    this.toolCall = toolCall
    this.subject = toolCall
    this.tool = tool
    this.to = to
    this.origin = origin
  }
}

/** What a restored call brings along beside its data. */
export interface Before {
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
