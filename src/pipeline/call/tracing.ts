/** Tells a tracer of one call: a tracer that throws costs its span, and the call nothing. */
import type * as Effect from "effect/Effect"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { TerminalEvent } from "../model/event.ts"
import type { Tool } from "../model/tool.ts"
import type { CallTrace, HandlerTrace, Tracer } from "../model/tracer.ts"
import { openQuestion } from "./asking.ts"
import type { CallRecord, Question } from "./state.ts"

type HandlerEffect = Effect.Effect<unknown, unknown, unknown>

/** Around one handler. */
export interface HandlerObserver {
  run<A>(work: () => A): A
  wrap(effect: HandlerEffect): HandlerEffect
  leave(failure: unknown): void
}

const attempt = <A>(work: () => A): A | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}

const observing = (trace: HandlerTrace): HandlerObserver => ({
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
  leave: (failure) => attempt(() => trace.end(failure)),
})

/** Who has let the call pass its gate, or ends it there. */
const deciderOf = ({ state, outcome, decidedBy }: CallRecord): DecidedBy | undefined => {
  const ending = "then" in state && state.then._tag === "End" ? state.then.outcome : outcome
  return ending !== undefined && "decidedBy" in ending ? ending.decidedBy : decidedBy
}

/** What is told of one call. */
export class CallSpan {
  private readonly trace: CallTrace | undefined
  /** The question that is waited for. */
  private asked: Question | undefined
  private answered: ReturnType<CallTrace["wait"]> | undefined

  constructor(tracer: Tracer, call: ToolCall, tool: Tool<unknown> | undefined) {
    this.trace = attempt(() => tracer.call(call, tool))
  }

  handler(name: string): HandlerObserver | undefined {
    const trace = attempt(() => this.trace?.handler(name))
    return trace && observing(trace)
  }

  /** A reviewer, the host or a function is asked next. */
  asks(record: CallRecord, isReviewed = false): void {
    const question = openQuestion(record)
    if (question === undefined || question.id === this.asked?.id) return
    // What the rules pass waits for nobody.
    if (question.kind === "approval" && !question.put && !isReviewed) return
    this.asked = question
    this.answered = attempt(() =>
      this.trace?.wait(question.kind === "approval" ? "approval" : question.effect._tag),
    )
  }

  /** The call has moved on: what it waited for may be over. */
  moved(record: CallRecord): void {
    const { asked, answered } = this
    if (asked === undefined || openQuestion(record)?.id === asked.id) return
    this.asked = undefined
    this.answered = undefined
    attempt(() => answered?.(asked.kind === "approval" ? deciderOf(record) : undefined))
  }

  end(event: TerminalEvent): void {
    attempt(() => this.trace?.end(event))
  }
}
