/** Effects inside an OpenTelemetry span: their code runs while it is active, and their own spans are its children. */
import type { Tracer as OtelApiTracer, Context as OtelContext, Span } from "@opentelemetry/api"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { Fiber } from "effect/Fiber"
import * as Option from "effect/Option"
import * as Tracers from "effect/Tracer"
import { otelApi } from "#otel-api"
import { messageOf } from "../text/message-of.ts"

type SpanOptions = Parameters<Tracers.Tracer["span"]>[0]

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const plain = (value: unknown): string | number | boolean => (isPlain(value) ? value : String(value))

/** A span of an Effect that is also an OpenTelemetry span. */
class BridgedSpan extends Tracers.NativeSpan {
  readonly within: OtelContext
  private readonly bridged: Span

  constructor(options: SpanOptions, tracer: OtelApiTracer, outer: OtelContext) {
    super(options)
    const parent = Option.getOrUndefined(options.parent)
    const around = parent instanceof BridgedSpan ? parent.within : outer
    this.bridged = tracer.startSpan(options.name, { root: options.root }, around)
    this.within = otelApi().trace.setSpan(around, this.bridged)
  }

  override attribute(key: string, value: unknown): void {
    super.attribute(key, value)
    this.bridged.setAttribute(key, plain(value))
  }

  override event(name: string, startTime: bigint, attributes: Record<string, unknown> = {}): void {
    super.event(name, startTime, attributes)
    const told = Object.entries(attributes).map(([key, value]) => [key, plain(value)] as const)
    this.bridged.addEvent(name, Object.fromEntries(told))
  }

  override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    super.end(endTime, exit)
    if (exit._tag === "Failure" && !Cause.hasInterruptsOnly(exit.cause)) {
      const message = messageOf(Cause.squash(exit.cause))
      this.bridged.setStatus({ code: otelApi().SpanStatusCode.ERROR, message: message.split("\n", 1)[0]! })
    }
    this.bridged.end()
  }
}

/** Runs an Effect inside the active span of `outer`. */
export const withinSpan = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  tracer: OtelApiTracer,
  outer: OtelContext,
): Effect.Effect<A, E, R> => {
  const within = (fiber: Fiber<unknown, unknown>): OtelContext => {
    const span = Context.getOrUndefined(fiber.context, Tracers.ParentSpan)
    return span instanceof BridgedSpan ? span.within : outer
  }
  const { context } = otelApi()
  const bridge = Tracers.make({
    span: (options) => new BridgedSpan(options, tracer, outer),
    context: (primitive, fiber) =>
      context.with(within(fiber), () => primitive["~effect/Effect/evaluate"](fiber)),
  })
  return Effect.provideService(effect, Tracers.Tracer, bridge) as Effect.Effect<A, E, R>
}
