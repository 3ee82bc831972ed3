/** Tells tracers of one call: a tracer that throws costs its span, and the call nothing. */

import { type CallState, openQuestion, type Question } from "../pipeline/call/state.ts"
import type { ToolCall } from "../pipeline/model/call.ts"
import type { DecidedBy } from "../pipeline/model/decision.ts"
import type { TerminalEvent } from "../pipeline/model/event.ts"
import type { Outcome } from "../pipeline/model/outcome.ts"
import { leaveAlone } from "../pipeline/model/thenable.ts"
import type { Tool } from "../pipeline/model/tool.ts"
import type { CallTrace, HandlerTrace, Tracer } from "./tracer.ts"

const attempt = <A>(work: () => A): A | undefined => {
  try {
    const made = work()
    leaveAlone(made)
    return made
  } catch {
    return undefined
  }
}

const guarded = (trace: HandlerTrace): HandlerTrace => ({
  run: (work) => {
    let began = false
    const once = () => {
      began = true
      return work()
    }
    try {
      return trace.run(once)
    } catch (error) {
      // What the handler threw is the handler's.
      if (began) throw error
      return work()
    }
  },
  wrap: (effect) => attempt(() => trace.wrap(effect)) ?? effect,
  end: (failure) => attempt(() => trace.end(failure)),
})

/** The first one is outermost. */
const nested = (outer: HandlerTrace, inner: HandlerTrace): HandlerTrace => ({
  run: (work) => outer.run(() => inner.run(work)),
  wrap: (effect) => outer.wrap(inner.wrap(effect)),
  end: (failure) => {
    inner.end(failure)
    outer.end(failure)
  },
})

/** What a span is told of its call. */
interface TracedCall {
  readonly toolCall: ToolCall
  readonly tool: Tool<unknown> | undefined
  readonly state: CallState
  readonly outcome: Outcome | undefined
  readonly decidedBy: DecidedBy | undefined
}

/** Who has let the call pass its gate, or ends it there. */
const deciderOf = ({ state, outcome, decidedBy }: TracedCall): DecidedBy | undefined => {
  const ending = "then" in state && state.then._tag === "End" ? state.then.outcome : outcome
  return ending !== undefined && "decidedBy" in ending ? ending.decidedBy : decidedBy
}

/** What is told of one call. */
export class CallSpan {
  private readonly traces: Array<CallTrace> = []
  /** The question that is waited for. */
  private asked: Question | undefined
  private answered: Array<ReturnType<CallTrace["wait"]> | undefined> = []

  /** `from`: the `traceParent` of an earlier process, where the call goes on. */
  constructor(
    tracers: ReadonlyArray<Tracer>,
    call: ToolCall,
    tool: Tool<unknown> | undefined,
    from?: string | undefined,
  ) {
    for (const tracer of tracers) this.begin(() => tracer.call(call, tool, from))
  }

  private begin(call: () => CallTrace): CallTrace | undefined {
    const trace = attempt(call)
    if (trace !== undefined) this.traces.push(trace)
    return trace
  }

  /** A tracer that comes while the call runs is told of what begins from here on, and of the wait that it finds. */
  join(tracer: Tracer, { toolCall, tool, state }: TracedCall): void {
    const trace = this.begin(() => tracer.call(toolCall, tool))
    if (trace === undefined) return
    if (this.asked === undefined) this.asks(openQuestion(state))
    else this.answered.push(this.wait(trace, this.asked))
  }

  /** The id under which the first tracer that has ids tells of the call. */
  get traceId(): string | undefined {
    return this.first((trace) => trace.traceId)
  }

  /** That of the first tracer that has one. */
  get traceParent(): string | undefined {
    return this.first((trace) => trace.traceParent)
  }

  private first(read: (trace: CallTrace) => string | undefined): string | undefined {
    for (const trace of this.traces) {
      const found = attempt(() => read(trace))
      if (found !== undefined) return found
    }
    return undefined
  }

  /** All of them, around one handler; undefined where nobody traces it. */
  handler(name: string): HandlerTrace | undefined {
    let all: HandlerTrace | undefined
    for (const trace of this.traces) {
      const one = attempt(() => trace.handler(name))
      if (one === undefined) continue
      all = all === undefined ? guarded(one) : nested(all, guarded(one))
    }
    return all
  }

  /** A reviewer, the host or a function is asked next. */
  asks(question: Question | undefined, isReviewed = false): void {
    if (question === undefined || question.id === this.asked?.id) return
    // What the rules pass waits for nobody.
    if (question.kind === "approval" && !question.isAsked && !isReviewed) return
    this.asked = question
    this.answered = this.traces.map((trace) => this.wait(trace, question))
  }

  private wait(trace: CallTrace, question: Question): ReturnType<CallTrace["wait"]> | undefined {
    return attempt(() => trace.wait(question.kind === "approval" ? "approval" : question.effect._tag))
  }

  /** The call has moved on: what it waited for may be over. */
  moved(call: TracedCall): void {
    const { asked, answered } = this
    if (asked === undefined || openQuestion(call.state)?.id === asked.id) return
    this.asked = undefined
    this.answered = []
    const decidedBy = asked.kind === "approval" ? deciderOf(call) : undefined
    for (const over of answered) attempt(() => over?.(decidedBy))
  }

  /** The call goes on in another process. */
  leave(): void {
    for (const over of this.answered) attempt(() => over?.(undefined))
    this.answered = []
    for (const trace of this.traces) attempt(() => trace.leave?.())
  }

  end(event: TerminalEvent): void {
    for (const trace of this.traces) attempt(() => trace.end(event))
  }
}
