/** What is traced of a call before and after the end of its process belongs to one trace. */
import { context, trace } from "@opentelemetry/api"
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node"
import * as Tracers from "effect/Tracer"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { pipeline, Step } from "../../src/index.ts"
import { otelTracer } from "../../src/otel/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { durableOf, untilTag } from "./durable-of.ts"

const path = useTempFolder()
const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
beforeAll(() => provider.register())
afterAll(async () => {
  await provider.shutdown()
  trace.disable()
  context.disable()
})
beforeEach(() => exporter.reset())

const tool = pipeline()
  .andThen({ name: "Preview", call: () => Step.Output("preview") })
  .awaitApproval()
  .andThen({ name: "Write", call: () => Step.Output("done") })

it("spans of OpenTelemetry", async () => {
  const open = (isTraced = true) =>
    durableOf(path("calls.db"), { tool }, isTraced ? { trace: otelTracer() } : {})
  const first = await open()
  await trace.getTracer("agent").startActiveSpan("turn", async (turn) => {
    await first.enqueue([{ callId: "a", name: "tool" }])
    turn.end()
  })
  await untilTag(first, "AwaitingApproval")
  await first.close()
  // One that does not trace hands on what the next one needs.
  const between = await open(false)
  await untilTag(between, "AwaitingApproval")
  await between.close()
  const second = await open()
  await untilTag(second, "AwaitingApproval")
  await second.approve("a")
  await untilTag(second, "Completed")
  const spans = exporter.getFinishedSpans()
  const names = spans.map(({ name }) => name)
  // Both follow the commit of the call.
  expect(names.splice(0, 2).sort()).toEqual(["handler Preview", "turn"])
  expect(names).toEqual([
    "wait approval",
    "execute_tool tool",
    "wait approval",
    "handler Write",
    "execute_tool tool",
  ])
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1)
  const [before, after] = spans.filter(({ name }) => name === "execute_tool tool")
  expect(before!.attributes["stepline.outcome"]).toBe("left")
  expect(after!.attributes["stepline.outcome"]).toBe("completed")
  expect(after!.parentSpanContext?.spanId).toBe(before!.spanContext().spanId)
})

it("spans of Effect", async () => {
  const spans: Array<Tracers.Span> = []
  const tracer = Tracers.make({
    span: (options) => {
      const span = new Tracers.NativeSpan(options)
      spans.push(span)
      return span
    },
  })
  const open = () => durableOf(path("calls.db"), { tool }, { trace: tracer })
  const first = await open()
  await first.enqueue([{ callId: "a", name: "tool" }])
  await untilTag(first, "AwaitingApproval")
  await first.close()
  const second = await open()
  await untilTag(second, "AwaitingApproval")
  await second.approve("a")
  await untilTag(second, "Completed")
  const calls = spans.filter(({ name }) => name === "tool tool")
  expect(calls).toHaveLength(2)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  for (const span of spans) expect(span.status._tag).toBe("Ended")
})
