/** The spans of one call, for all tracers. A tracer that throws loses its span; the call is not affected. */

import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { TerminalEvent } from "../model/event.ts"
import type { Outcome } from "../model/outcome.ts"
import { leaveAlone } from "../model/thenable.ts"
import type { Tool } from "../model/tool.ts"
import { type CallState, openQuestion, type Question } from "../pipeline/call/state.ts"
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
      // An error of the handler itself is passed on.
      if (began) throw error
      return work()
    }
  },
  wrap: (effect) => attempt(() => trace.wrap(effect)) ?? effect,
  end: (failure) => attempt(() => trace.end(failure)),
})

/** Nests the tracers, the first one outermost. */
const nested = (outer: HandlerTrace, inner: HandlerTrace): HandlerTrace => ({
  run: (work) => outer.run(() => inner.run(work)),
  wrap: (effect) => outer.wrap(inner.wrap(effect)),
  end: (failure) => {
    inner.end(failure)
    outer.end(failure)
  },
})

/** The data of a call that its spans show. */
interface TracedCall {
  readonly toolCall: ToolCall
  readonly tool: Tool<unknown> | undefined
  readonly state: CallState
  readonly outcome: Outcome | undefined
  readonly decidedBy: DecidedBy | undefined
}

/** The party that ended the call or, if none did, that decided its last gate. */
const deciderOf = ({ state, outcome, decidedBy }: TracedCall): DecidedBy | undefined => {
  const ending = "then" in state && state.then._tag === "End" ? state.then.outcome : outcome
  return ending !== undefined && "decidedBy" in ending ? ending.decidedBy : decidedBy
}

/** The spans of one call. */
export class CallSpan {
  private readonly traces: Array<CallTrace> = []
  /** The question that the call waits for. */
  private asked: Question | undefined
  private answered: Array<ReturnType<CallTrace["wait"]> | undefined> = []

  /** `from`: the `traceParent` from the earlier process of a restored call. */
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

  /** Adds a tracer while the call runs: it traces the current wait, and everything that begins from here on. */
  join(tracer: Tracer, { toolCall, tool, state }: TracedCall): void {
    const trace = this.begin(() => tracer.call(toolCall, tool))
    if (trace === undefined) return
    if (this.asked === undefined) this.asks(openQuestion(state))
    else this.answered.push(this.wait(trace, this.asked))
  }

  /** The trace id of the first tracer that has one. */
  get traceId(): string | undefined {
    return this.first((trace) => trace.traceId)
  }

  /** The `traceparent` of the first tracer that has one. */
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

  /** Links the spans to that of another call, if it has one. */
  link(traceParent: string | undefined): void {
    if (traceParent !== undefined) for (const trace of this.traces) attempt(() => trace.link?.(traceParent))
  }

  /** Begins the spans of one handler; undefined if no tracer traces it. */
  handler(name: string): HandlerTrace | undefined {
    let all: HandlerTrace | undefined
    for (const trace of this.traces) {
      const one = attempt(() => trace.handler(name))
      if (one === undefined) continue
      all = all === undefined ? guarded(one) : nested(all, guarded(one))
    }
    return all
  }

  /** Begins the span of a wait: a reviewer, the host or a function is asked next. */
  asks(question: Question | undefined, isReviewed = false): void {
    if (question === undefined || question.id === this.asked?.id) return
    // A gate that the rules pass involves no wait.
    if (question.kind === "approval" && !question.isAsked && !isReviewed) return
    this.asked = question
    this.answered = this.traces.map((trace) => this.wait(trace, question))
  }

  private wait(trace: CallTrace, question: Question): ReturnType<CallTrace["wait"]> | undefined {
    return attempt(() => trace.wait(question.kind === "approval" ? "approval" : question.effect._tag))
  }

  /** Ends the span of a wait that has ended, after the call's state has changed. */
  moved(call: TracedCall): void {
    const { asked, answered } = this
    if (asked === undefined || openQuestion(call.state)?.id === asked.id) return
    this.asked = undefined
    this.answered = []
    const decidedBy = asked.kind === "approval" ? deciderOf(call) : undefined
    for (const over of answered) attempt(() => over?.(decidedBy))
  }

  /** Ends the spans in this process, because another process continues the call. */
  leave(): void {
    for (const over of this.answered) attempt(() => over?.(undefined))
    this.answered = []
    for (const trace of this.traces) attempt(() => trace.leave?.())
  }

  end(event: TerminalEvent): void {
    for (const trace of this.traces) attempt(() => trace.end(event))
  }
}
