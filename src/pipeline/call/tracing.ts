/** Spans `tool <name>` and `handler <name>`, ended by hand: the interpreter's steps are not Effects. */
import type { Clock } from "effect/Clock"
import * as Clocks from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { ToolCall } from "../model/call.ts"

type HandlerEffect = Effect.Effect<unknown, unknown, unknown>

/** Around one handler. */
export interface HandlerObserver {
  wrap(effect: HandlerEffect): HandlerEffect
  leave(failure: unknown): void
}

/** The span of one call; those of its handlers are inside it. */
export class CallSpan {
  private readonly tracer: Tracer.Tracer
  private readonly clock: Clock
  private readonly span: Tracer.Span

  constructor(context: Context.Context<never>, call: ToolCall) {
    this.tracer = Context.get(context, Tracer.Tracer)
    this.clock = Context.get(context, Clocks.Clock)
    this.span = this.begin(`tool ${call.name}`, Context.getOption(context, Tracer.ParentSpan))
    this.span.attribute("agentId", call.agentId)
    this.span.attribute("callId", call.callId)
  }

  handler(name: string): HandlerObserver {
    const span = this.begin(`handler ${name}`, Option.some(this.span))
    return {
      wrap: (effect) => Effect.withParentSpan(effect, span),
      leave: (failure) => this.finish(span, failure),
    }
  }

  end(failure: unknown): void {
    this.finish(this.span, failure)
  }

  private begin(name: string, parent: Option.Option<Tracer.AnySpan>): Tracer.Span {
    return this.tracer.span({
      name,
      parent,
      annotations: Context.empty(),
      links: [],
      startTime: this.clock.currentTimeNanosUnsafe(),
      kind: "internal",
      root: Option.isNone(parent),
      sampled: true,
    })
  }

  private finish(span: Tracer.Span, failure: unknown): void {
    span.end(this.clock.currentTimeNanosUnsafe(), failure === undefined ? Exit.void : Exit.fail(failure))
  }
}
