import { context, metrics, SpanStatusCode, trace } from "@opentelemetry/api"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics"
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import {
  defineTool,
  handler,
  pipeline,
  Step,
  type ToolEvent,
  ToolExecutor,
  type ToolExecutorOptions,
  type ToolPipeline,
  ToolRegistry,
} from "../../src/index.ts"
import { type OtelTracerOptions, otelTracer } from "../../src/otel/index.ts"
import { turn } from "../support/deferred.ts"

type Compose = (params: unknown, call: { readonly callId: string }) => ToolPipeline

const spanExporter = new InMemorySpanExporter()
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const reader = new PeriodicExportingMetricReader({
  exporter: metricExporter,
  exportIntervalMillis: 2 ** 31 - 1,
})
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] })
const meters = new MeterProvider({ readers: [reader] })

beforeAll(() => {
  provider.register()
  metrics.setGlobalMeterProvider(meters)
})

afterAll(async () => {
  await provider.shutdown()
  await meters.shutdown()
  trace.disable()
  context.disable()
  metrics.disable()
})

beforeEach(() => spanExporter.reset())

const executorOf = (
  plan: ToolPipeline | Compose,
  traced: OtelTracerOptions = {},
  options: ToolExecutorOptions = {},
): ToolExecutor => {
  const tool = defineTool({
    name: "tool",
    description: "Does it.",
    parameters: { type: "object", properties: { n: { type: "number" } } },
    compose: typeof plan === "function" ? plan : () => plan,
  })
  return new ToolExecutor(new ToolRegistry([tool]), { ...options, trace: otelTracer(traced) })
}

const named = (name: string): ReadableSpan => {
  const found = spanExporter.getFinishedSpans().filter((span) => span.name === name)
  expect(found.map((span) => span.name)).toEqual([name])
  return found[0]!
}

/** Each span's name, below that of its parent. */
const tree = (): ReadonlyArray<readonly [string, string | undefined]> => {
  const spans = spanExporter.getFinishedSpans()
  const nameOf = (id: string | undefined) => spans.find((span) => span.spanContext().spanId === id)?.name
  return spans.map((span) => [span.name, nameOf(span.parentSpanContext?.spanId)] as const).sort()
}

const approve = (event: ToolEvent) => event._tag === "AwaitingApproval" && event.approve()

describe("otelTracer", () => {
  it("makes a span of each call, with what the conventions say of it, and none of what may be private", async () => {
    await using executor = executorOf(pipeline().andThen(() => Step.Output("secret")))
    await executor.run({ name: "tool", callId: "c", params: { n: 1 } })
    const span = named("execute_tool tool")
    expect(span.kind).toBe(0)
    expect(span.status.code).toBe(SpanStatusCode.UNSET)
    expect(span.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "tool",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.description": "Does it.",
      "gen_ai.tool.call.id": "c",
      "gen_ai.agent.id": "main",
      "stepline.outcome": "completed",
    })
  })

  it("tells arguments and results where it is asked to, and of tools what the host says", async () => {
    const toolOf = (name: string) => ({ type: "datastore", description: `It is ${name}.` }) as const
    await using executor = executorOf(
      pipeline().andThen(() => Step.Output("found")),
      { captureContent: true, toolOf },
    )
    await executor.run({ name: "tool", params: { n: 1 } })
    expect(named("execute_tool tool").attributes).toMatchObject({
      "gen_ai.tool.type": "datastore",
      "gen_ai.tool.description": "It is tool.",
      "gen_ai.tool.call.arguments": '{"n":1}',
      "gen_ai.tool.call.result": "found",
    })
  })

  it("links what applies a preview to the call that staged it, also in a later process", async () => {
    const plan = pipeline()
      .awaitResolve({ label: "Change" })
      .andThen(() => Step.Output("changed"))
    await using first = executorOf(plan)
    await first.run({ name: "tool", callId: "stages", params: {} })
    const [action] = first.agent().pendingActions.list()
    const stored = first.snapshot(action!.actionId)
    await first.agent().resolve({ action: "apply", reason: "Good" })
    const staging = named("execute_tool tool").spanContext()
    const linked = () => named("execute_tool resolve").links.map(({ context }) => context)
    const { traceId, spanId } = staging
    expect(linked()).toMatchObject([{ traceId, spanId }])
    spanExporter.reset()
    await using later = executorOf(plan)
    later.restore(JSON.parse(JSON.stringify(stored)))
    await later.agent().resolve({ action: "discard", reason: "Bad" })
    expect(linked()).toMatchObject([{ traceId, spanId }])
  })

  it.each([
    ["the span that its call names", `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, "b".repeat(16)],
    ["the active one where its call names none", `00-${"0".repeat(32)}-${"0".repeat(16)}-00`, undefined],
  ])("has a span under %s", async (_which, traceparent, spanId) => {
    await using executor = executorOf(pipeline().andThen(() => Step.Output("done")))
    await trace.getTracer("test").startActiveSpan("turn", async (active) => {
      await executor.run({ name: "tool", meta: { traceparent } })
      active.end()
      const parent = named("execute_tool tool").parentSpanContext
      expect(parent?.spanId).toBe(spanId ?? active.spanContext().spanId)
    })
  })

  it("has the spans of queued calls under those of their enqueuers", async () => {
    await using executor = executorOf(
      pipeline().andThen(async () => {
        await turn()
        return Step.Continue
      }),
    )
    const tracer = trace.getTracer("test")
    const turns = ["first", "second", "third"].map((name) =>
      tracer.startActiveSpan(name, async (span) => {
        await executor.run({ name: "tool", callId: name })
        span.end()
      }),
    )
    await Promise.all(turns)
    const spans = spanExporter.getFinishedSpans()
    for (const name of ["first", "second", "third"]) {
      const call = spans.find((span) => span.attributes["gen_ai.tool.call.id"] === name)
      expect(call?.parentSpanContext?.spanId).toBe(named(name).spanContext().spanId)
    }
  })

  it("runs handlers of every kind inside their active span", async () => {
    const tracer = trace.getTracer("test")
    const inner = (name: string) => tracer.startActiveSpan(name, (span) => span.end())
    await using executor = executorOf(
      pipeline()
        .andThen(
          handler("Plain", () => {
            inner("in plain")
            return Step.Continue
          }),
        )
        .andThen(
          handler("Promise", async () => {
            await turn()
            inner("in promise")
            return Step.Continue
          }),
        )
        .andThen(
          handler("Generator", async function* () {
            inner("in generator")
            yield Step.Delta("x")
            await turn()
            inner("in generator, later")
          }),
        )
        .andThen(
          handler("Effect", () =>
            Effect.gen(function* () {
              yield* Effect.yieldNow
              inner("in effect")
              yield* Effect.promise(async () => {
                await turn()
                inner("in promise of effect")
              })
              yield* Effect.withSpan(
                Effect.sync(() => inner("in span of effect")),
                "span of effect",
              )
              return Step.Continue
            }),
          ),
        )
        .finally(
          handler("Close", () => {
            inner("in finally")
            return Step.Continue
          }),
        ),
    )
    await executor.run({ name: "tool" })
    expect(tree()).toEqual(
      [
        ["execute_tool tool", undefined],
        ["handler Close", "execute_tool tool"],
        ["handler Effect", "execute_tool tool"],
        ["handler Generator", "execute_tool tool"],
        ["handler Plain", "execute_tool tool"],
        ["handler Promise", "execute_tool tool"],
        ["in effect", "handler Effect"],
        ["in finally", "handler Close"],
        ["in generator", "handler Generator"],
        ["in generator, later", "handler Generator"],
        ["in plain", "handler Plain"],
        ["in promise", "handler Promise"],
        ["in promise of effect", "handler Effect"],
        ["in span of effect", "span of effect"],
        ["span of effect", "handler Effect"],
      ].sort(),
    )
  })

  it("shows the wait for a decision, who decided, and the wait for an effect", async () => {
    await using executor = executorOf(
      pipeline()
        .awaitApproval()
        .andThen(() => Step.Delegate({ _tag: "Ask" })),
    )
    await executor.run({ name: "tool" }, (event) => {
      if (event._tag === "Delegate") event.succeed("yes")
      else approve(event)
    })
    expect(named("wait approval").attributes).toEqual({ "stepline.decided_by": "user" })
    expect(tree()).toContainEqual(["wait approval", "execute_tool tool"])
    expect(tree()).toContainEqual(["wait Ask", "execute_tool tool"])
  })

  it("shows no wait where a rule decides", async () => {
    const filters = { evaluate: () => "approve" as const }
    await using executor = executorOf(pipeline().awaitApproval(), {}, { filters })
    await executor.run({ name: "tool" })
    expect(tree()).toEqual([["execute_tool tool", undefined]])
  })

  it("shows how long a reviewer thinks", async () => {
    const reviewers = [() => turn().then(() => ({ verdict: "approve" as const }))]
    await using executor = executorOf(pipeline().awaitApproval(), {}, { reviewers })
    await executor.run({ name: "tool" })
    expect(named("wait approval").attributes).toEqual({ "stepline.decided_by": "reviewer" })
  })

  it("takes a denial for no exception", async () => {
    await using executor = executorOf(pipeline().awaitApproval())
    await executor.run(
      { name: "tool" },
      (event) => event._tag === "AwaitingApproval" && event.deny("not now"),
    )
    const span = named("execute_tool tool")
    expect(span.status.code).toBe(SpanStatusCode.UNSET)
    expect(span.events).toEqual([])
    expect(span.attributes).toMatchObject({ "stepline.outcome": "denied", "stepline.decided_by": "user" })
    expect(span.attributes).not.toHaveProperty("error.type")
    expect(named("wait approval").attributes).toEqual({ "stepline.decided_by": "user" })
  })

  it("takes a cancel for no exception either", async () => {
    await using executor = executorOf(pipeline().awaitApproval())
    await executor.run({ name: "tool", callId: "c" }, () => executor.cancelCall("c"))
    expect(named("execute_tool tool").status.code).toBe(SpanStatusCode.UNSET)
    expect(named("execute_tool tool").attributes["stepline.outcome"]).toBe("cancelled")
  })

  it("takes a cancelled handler for no failure, but one that ran out of time for one", async () => {
    const waits = pipeline().andThen(
      handler(
        "Waits",
        ({ signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      ),
    )
    await using executor = executorOf(waits)
    const cancel = () => turn().then(() => executor.cancelCall("c"))
    await executor.run({ name: "tool", callId: "c" }, ({ _tag }) => _tag === "Started" && void cancel())
    const cancelled = named("handler Waits")
    expect(cancelled.status.code).toBe(SpanStatusCode.UNSET)
    expect(cancelled.attributes["stepline.outcome"]).toBe("cancelled")
    spanExporter.reset()
    await using late = executorOf(waits, {}, { callTimeout: 10 })
    await late.run({ name: "tool" })
    expect(named("handler Waits").status.code).toBe(SpanStatusCode.ERROR)
  })

  it("tells failures with their type and their exception", async () => {
    await using executor = executorOf(
      pipeline().andThen(
        handler("Fails", async () => {
          throw new RangeError("too far")
        }),
      ),
    )
    await executor.run({ name: "tool" })
    const span = named("execute_tool tool")
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: "too far" })
    expect(span.attributes["error.type"]).toBe("failed")
    expect(span.events.map(({ attributes }) => attributes?.["exception.type"])).toEqual(["RangeError"])
    expect(named("handler Fails").status.code).toBe(SpanStatusCode.ERROR)
  })

  it("tells calls that were refused, without the arguments in their failure", async () => {
    await using executor = executorOf(pipeline())
    await executor.run({ name: "tool", params: { n: "a secret" } })
    await executor.run({ name: "nothing" })
    expect(named("execute_tool tool").attributes["error.type"]).toBe("invalid")
    expect(named("execute_tool nothing").attributes["error.type"]).toBe("unknown-tool")
    const told = spanExporter
      .getFinishedSpans()
      .map(({ status, events, attributes }) => ({ status, events, attributes }))
    expect(JSON.stringify(told)).not.toContain("a secret")
  })

  it("covers background tasks to their end", async () => {
    await using executor = executorOf(
      pipeline().andThen(
        handler("Work", async () => {
          await turn()
          return Step.Output("done")
        }),
      ),
    )
    const { taskId } = await executor.run({ name: "tool", background: true })
    await executor.tasks.wait(taskId!)
    expect(tree()).toEqual([
      ["execute_tool tool", undefined],
      ["handler Work", "execute_tool tool"],
    ])
  })

  it("measures how long calls took, by tool and kind of failure", async () => {
    await meters.forceFlush()
    metricExporter.reset()
    await using executor = executorOf((_, call) =>
      pipeline().andThen(() => (call.callId === "bad" ? Step.Error("no") : Step.Continue)),
    )
    await executor.run({ name: "tool", callId: "good" })
    await executor.run({ name: "tool", callId: "bad" })
    await executor.run({ name: "made_up" })
    await meters.forceFlush()
    const [exported] = metricExporter.getMetrics()
    const [metric] = exported!.scopeMetrics[0]!.metrics
    expect(metric?.descriptor).toMatchObject({ name: "gen_ai.execute_tool.duration", unit: "s" })
    const points = metric!.dataPoints.map(({ attributes, value }) => [
      attributes,
      (value as { count: number }).count,
    ])
    const common = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "tool",
      "gen_ai.tool.type": "function",
    }
    expect(points).toEqual([
      [{ ...common, "stepline.outcome": "completed" }, 1],
      [{ ...common, "stepline.outcome": "error", "error.type": "failed" }, 1],
      // Names that models make up are no labels.
      [
        {
          ...common,
          "gen_ai.tool.name": "_OTHER",
          "stepline.outcome": "error",
          "error.type": "unknown-tool",
        },
        1,
      ],
    ])
  })

  it("leaves no span open, whatever ends a call", async () => {
    const started: Array<string> = []
    const tracer = provider.getTracer("counting")
    const counting = {
      startSpan: (...args: Parameters<typeof tracer.startSpan>) => {
        started.push(args[0])
        return tracer.startSpan(...args)
      },
    }
    const executor = executorOf(
      pipeline()
        .andThen(() => Step.Continue)
        .awaitApproval()
        .andThen(() => Effect.never)
        .finally(() => Step.Continue),
      { tracer: counting },
    )
    const ended = [
      executor.run({ name: "tool", agentId: "a" }, approve),
      executor.run({ name: "tool", agentId: "b" }, () => undefined),
      executor.run({ name: "tool", agentId: "c", params: { n: "x" } }),
      executor.run(
        { name: "tool", agentId: "d" },
        (event) => event._tag === "AwaitingApproval" && event.approve({ params: { n: 2 } }),
      ),
    ]
    for (let i = 0; i < 50; i++) await turn()
    await executor.shutdown()
    await Promise.all(ended)
    expect(
      spanExporter
        .getFinishedSpans()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(started.sort())
  })
})
