/**
 * Calls as OpenTelemetry's conventions for generative AI name them (status: development, so the strings stand here):
 *
 *   execute_tool {name}            its parent: whatever was active where the call was enqueued
 *   ├─ handler {name}              active while the handler runs
 *   ├─ wait approval, wait {tag}   for a decision, for the answer to an effect
 *   └─ …
 */
import type {
  Context,
  Histogram,
  Meter,
  Tracer as OtelApiTracer,
  Span,
  SpanContext,
} from "@opentelemetry/api"
import { otelApi } from "#otel-api"
import type { ToolCall } from "../model/call.ts"
import type { TerminalEvent } from "../model/event.ts"
import { messageOf } from "../text/message-of.ts"
import type { CallTrace, HandlerTrace, TracedTool, Tracer } from "../tracing/tracer.ts"
import { withinSpan } from "./effect-spans.ts"

/** What spans report about a tool in addition to its name. */
export interface TracedToolInfo {
  readonly description?: string
  /** Default `function`. */
  readonly type?: "function" | "extension" | "datastore"
}

/** The options of `otelTracer`. All are optional. */
export interface OtelTracerOptions {
  /** A `Tracer` of `@opentelemetry/api`. Default: that of the global provider. */
  readonly tracer?: { startSpan(name: string): unknown } | undefined
  /** A `Meter` of the same package. Default: that of the global provider. */
  readonly meter?: { createHistogram(name: string): unknown } | undefined
  /** Information about a tool by name, such as `(name) => registry.get(name)`. Default: from the executor's registry. */
  readonly toolOf?: ((name: string) => TracedToolInfo | undefined) | undefined
  /** Whether spans contain arguments and results, which can be private. Default false. */
  readonly captureContent?: boolean | undefined
}

const scope = "stepline"

/** In seconds, as the conventions advise. */
const boundaries = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]

const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "null"
  } catch (error) {
    return messageOf(error)
  }
}

/** After its first line, the text of a failure can contain input from the model. */
const firstLine = (text: string): string => text.split("\n", 1)[0]!.slice(0, 200)

const failSpan = (span: Span, message: string, cause: unknown): void => {
  if (cause !== undefined) span.recordException(cause instanceof Error ? cause : messageOf(cause))
  span.setStatus({ code: otelApi().SpanStatusCode.ERROR, message: firstLine(message) })
}

const isAbort = (failure: unknown): boolean =>
  (failure as { readonly name?: unknown } | undefined)?.name === "AbortError"

interface Parts {
  readonly tracer: OtelApiTracer
  readonly duration: Histogram
  readonly capture: boolean
}

/** The span that a `traceparent` names. Ids of zeros only name none. */
const spanNamed = (name: string | undefined): SpanContext | undefined => {
  const [, traceId, spanId, flags] =
    /^00-(?!0*-)([0-9a-f]{32})-(?!0*-)([0-9a-f]{16})-([0-9a-f]{2})$/.exec(name ?? "") ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}

/** The parent: the span of an earlier process named by a `traceparent`, else the active span. */
const parentOf = (from: string | undefined): Context => {
  const { context, trace } = otelApi()
  const named = spanNamed(from)
  return named === undefined ? context.active() : trace.setSpanContext(context.active(), named)
}

class OtelCallTrace implements CallTrace {
  private readonly parts: Parts
  private readonly span: Span
  private readonly context: Context
  private readonly attributes: Record<string, string>
  private readonly startedAt = performance.now()

  constructor(parts: Parts, call: ToolCall, tool: TracedToolInfo, from: string | undefined) {
    this.parts = parts
    this.attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": call.name,
      "gen_ai.tool.type": tool.type ?? "function",
    }
    const parent = parentOf(from)
    this.span = parts.tracer.startSpan(
      `execute_tool ${call.name}`,
      {
        attributes: {
          ...this.attributes,
          "gen_ai.tool.call.id": call.callId,
          "gen_ai.agent.id": call.agentId,
          ...(tool.description !== undefined && { "gen_ai.tool.description": tool.description }),
          ...(parts.capture && { "gen_ai.tool.call.arguments": jsonOf(call.params) }),
        },
      },
      parent,
    )
    this.context = otelApi().trace.setSpan(parent, this.span)
  }

  get traceParent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`
  }

  link(traceParent: string): void {
    const context = spanNamed(traceParent)
    if (context !== undefined) this.span.addLink({ context })
  }

  leave(): void {
    this.span.setAttribute("stepline.outcome", "left")
    this.span.end()
  }

  get traceId(): string {
    return this.span.spanContext().traceId
  }

  handler(name: string): HandlerTrace {
    const { context, trace } = otelApi()
    const span = this.parts.tracer.startSpan(`handler ${name}`, {}, this.context)
    const active = trace.setSpan(this.context, span)
    return {
      run: (work) => context.with(active, work),
      wrap: (effect) => withinSpan(effect, this.parts.tracer, active),
      end: (failure) => {
        // A cancelled handler has not failed.
        if (isAbort(failure)) span.setAttribute("stepline.outcome", "cancelled")
        else if (failure !== undefined) failSpan(span, messageOf(failure), undefined)
        span.end()
      },
    }
  }

  wait(what: string): ReturnType<CallTrace["wait"]> {
    const span = this.parts.tracer.startSpan(`wait ${what}`, {}, this.context)
    return (decidedBy) => {
      if (decidedBy !== undefined) span.setAttribute("stepline.decided_by", decidedBy.kind)
      span.end()
    }
  }

  end(event: TerminalEvent): void {
    const { span, attributes } = this
    const outcome = event._tag.toLowerCase()
    span.setAttribute("stepline.outcome", outcome)
    if (event.decidedBy !== undefined) span.setAttribute("stepline.decided_by", event.decidedBy.kind)
    if (this.parts.capture) span.setAttribute("gen_ai.tool.call.result", event.content)
    // A denial or a cancel is not a failure of the tool.
    if (event._tag === "Error") {
      attributes["error.type"] = event.reason
      // Each name that a model invents would add a series to the metric.
      if (event.reason === "unknown-tool") attributes["gen_ai.tool.name"] = "_OTHER"
      span.setAttribute("error.type", event.reason)
      failSpan(span, event.content, event.cause ?? firstLine(event.content))
    }
    span.end()
    const seconds = (performance.now() - this.startedAt) / 1000
    this.parts.duration.record(seconds, { ...attributes, "stepline.outcome": outcome }, this.context)
  }
}

/**
 * A tracer for the option `trace` of an executor. Denials and cancels are not errors: `stepline.outcome` reports them.
 * Throws if `@opentelemetry/api` is not installed. The metric `gen_ai.execute_tool.duration` measures from the start of a
 * call to its end, like the call's span.
 *
 * @example
 * const executor = new ToolExecutor(registry, { trace: otelTracer() })
 */
export const otelTracer = (options: OtelTracerOptions = {}): Tracer => {
  const { metrics, trace } = otelApi()
  const tracer = (options.tracer as OtelApiTracer | undefined) ?? trace.getTracer(scope)
  const meter = (options.meter as Meter | undefined) ?? metrics.getMeter(scope)
  const duration = meter.createHistogram("gen_ai.execute_tool.duration", {
    description: "How long calls of tools took, waits for their host included.",
    unit: "s",
    advice: { explicitBucketBoundaries: boundaries },
  })
  const parts: Parts = { tracer, duration, capture: options.captureContent === true }
  const infoOf = (name: string, tool: TracedTool | undefined): TracedToolInfo => ({
    ...(tool && { description: tool.description }),
    ...options.toolOf?.(name),
  })
  return { call: (call, tool, from) => new OtelCallTrace(parts, call, infoOf(call.name, tool), from) }
}
