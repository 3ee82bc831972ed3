/** Spans `tool <name>`, `handler <name>` and `wait <what>` through Effect's Tracer, ended by hand: steps are not Effects. */
import type { Clock } from "effect/Clock"
import * as Clocks from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracers from "effect/Tracer"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { TerminalEvent } from "../model/event.ts"
import type { Settings } from "../model/settings.ts"
import type { CallTrace, HandlerTrace, Tracer } from "./tracer.ts"

class EffectCallTrace implements CallTrace {
  /** The host's tracer, if it is not the program's: spans that handlers create go to it too. */
  private readonly own: Tracers.Tracer | undefined
  private readonly tracer: Tracers.Tracer
  private readonly clock: Clock
  private readonly span: Tracers.Span

  constructor(
    context: Context.Context<never>,
    own: Tracers.Tracer | undefined,
    call: ToolCall,
    from: string | undefined,
  ) {
    this.own = own
    this.tracer = own ?? Context.get(context, Tracers.Tracer)
    this.clock = Context.get(context, Clocks.Clock)
    const parent = Option.orElse(spanNamed(from), () => Context.getOption(context, Tracers.ParentSpan))
    this.span = this.begin(`tool ${call.name}`, parent)
    this.span.attribute("agentId", call.agentId)
    this.span.attribute("callId", call.callId)
  }

  get traceId(): string {
    return this.span.traceId
  }

  get traceParent(): string {
    const { traceId, spanId, sampled } = this.span
    return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
  }

  leave(): void {
    this.finish(this.span, undefined)
  }

  handler(name: string): HandlerTrace {
    const span = this.begin(`handler ${name}`, Option.some(this.span))
    return {
      run: (work) => work(),
      wrap: (effect) => {
        const inside = Effect.withParentSpan(effect, span)
        return this.own === undefined ? inside : Effect.withTracer(inside, this.own)
      },
      end: (failure) => this.finish(span, failure),
    }
  }

  link(traceParent: string): void {
    const span = Option.getOrUndefined(spanNamed(traceParent))
    if (span !== undefined) this.span.addLinks([{ span, attributes: {} }])
  }

  wait(what: string): (decidedBy: DecidedBy | undefined) => void {
    const span = this.begin(`wait ${what}`, Option.some(this.span))
    return (decidedBy) => {
      if (decidedBy !== undefined) span.attribute("decidedBy", decidedBy.kind)
      this.finish(span, undefined)
    }
  }

  end(event: TerminalEvent): void {
    this.finish(this.span, event._tag === "Completed" ? undefined : event.content)
  }

  private begin(name: string, parent: Option.Option<Tracers.AnySpan>): Tracers.Span {
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

  private finish(span: Tracers.Span, failure: unknown): void {
    span.end(this.clock.currentTimeNanosUnsafe(), failure === undefined ? Exit.void : Exit.fail(failure))
  }
}

/** The span of an earlier process that a `traceparent` names. */
const spanNamed = (traceParent: string | undefined): Option.Option<Tracers.AnySpan> => {
  const [, traceId, spanId, flags] = /^00-([^-]+)-([^-]+)-([0-9a-f]{2})$/.exec(traceParent ?? "") ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return Option.none()
  return Option.some(Tracers.externalSpan({ traceId, spanId, sampled: flags !== "00" }))
}

const effectTracer = (context: Context.Context<never>, own?: Tracers.Tracer): Tracer => ({
  call: (call, _tool, from) => new EffectCallTrace(context, own, call, from),
})

/** The tracer for the option `trace`; for `true`, the tracer of the program that contains the executor. */
export const tracerOf = (trace: Settings["trace"], context: Context.Context<never>): Tracer | undefined => {
  if (typeof trace === "boolean") return trace ? effectTracer(context) : undefined
  return "call" in trace ? trace : effectTracer(context, trace)
}
