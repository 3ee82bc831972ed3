import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { describe, expect, it } from "vitest"
import {
  type Tracer as ExecutorTracer,
  handler,
  pipeline,
  Step,
  type ToolCallInput,
  ToolExecutor,
} from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { turn } from "../support/deferred.ts"
import { type Plan, registryOf } from "../support/executor-of.ts"

interface SeenSpan {
  readonly name: string
  readonly parent: string | undefined
  readonly attributes: ReadonlyMap<string, unknown>
  readonly status: "open" | "Success" | "Failure"
}

/** Runs calls under a tracer that keeps its spans. */
const spansOf = async (
  plan: Plan,
  call: Partial<ToolCallInput> = {},
  options: {
    readonly trace?: boolean | "own"
    readonly gate?: "approve" | "deny"
    readonly cancels?: boolean
  } = {},
): Promise<Array<SeenSpan>> => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (spanOptions) => {
      const span = new Tracer.NativeSpan(spanOptions)
      spans.push(span)
      return span
    },
  })
  const program: Effect.Effect<void, never, Scope> = Effect.gen(function* () {
    const trace = options.trace === "own" ? tracer : (options.trace ?? true)
    const executor = yield* ToolExecutor.make(registryOf({ tool: plan }), { trace })
    const host = new ScriptedHost(executor, { gate: options.gate ?? "approve" })
    yield* Effect.promise(async () => {
      const done = host.run([{ agentId: "a", callId: "c", name: "tool", ...call }])
      if (options.cancels === true) {
        await turn()
        executor.cancelCall("c")
      }
      await done
    })
  })
  await Effect.runPromise(
    options.trace === "own"
      ? Effect.scoped(program)
      : Effect.scoped(program).pipe(Effect.withSpan("turn"), Effect.provideService(Tracer.Tracer, tracer)),
  )
  return spans
    .filter((span) => span.name !== "turn")
    .map((span) => ({
      name: span.name,
      parent: span.parent._tag === "Some" ? nameOf(span.parent.value) : undefined,
      attributes: span.attributes,
      status: span.status._tag === "Ended" ? span.status.exit._tag : "open",
    }))
}

const nameOf = (span: Tracer.AnySpan): string => (span._tag === "Span" ? span.name : "external")

const shown = (spans: ReadonlyArray<SeenSpan>) =>
  spans.map(({ name, parent, status }) => [name, parent, status])

const plan = pipeline()
  .andThen(handler("ReadFile", () => Step.Output("text")))
  .andThen(handler("Format", async () => Step.Continue))
  .andThen(handler("Lint", () => Effect.as(Effect.yieldNow, Step.Continue)))
  .finally(handler("Close", () => Step.Continue))

describe("tracing", () => {
  it("makes a span of each call and of each handler, the handlers' inside the call's", async () => {
    const spans = await spansOf(plan)
    expect(shown(spans)).toEqual([
      ["tool tool", "turn", "Success"],
      ["handler ReadFile", "tool tool", "Success"],
      ["handler Format", "tool tool", "Success"],
      ["handler Lint", "tool tool", "Success"],
      ["handler Close", "tool tool", "Success"],
    ])
    expect(Object.fromEntries(spans[0]!.attributes)).toMatchObject({ agentId: "a", callId: "c" })
  })

  it("makes none unless the host asks for it", async () => {
    expect(await spansOf(plan, {}, { trace: false })).toEqual([])
  })

  it("covers background calls", async () => {
    expect(shown(await spansOf(plan, { background: true }))).toHaveLength(5)
  })

  it("puts the spans of a handler's own Effect inside the handler's", async () => {
    const spans = await spansOf(
      pipeline().andThen(
        handler("Query", () => Effect.as(Effect.withSpan(Effect.yieldNow, "SELECT"), Step.Continue)),
      ),
    )
    expect(shown(spans)).toEqual([
      ["tool tool", "turn", "Success"],
      ["handler Query", "tool tool", "Success"],
      ["SELECT", "handler Query", "Success"],
    ])
  })

  it.each<[string, Plan]>([
    ["gives an Error step", pipeline().andThen(handler("Fails", () => Step.Error("no")))],
    ["rejects", pipeline().andThen(handler("Fails", () => Promise.reject(new Error("no"))))],
    ["fails", pipeline().andThen(handler("Fails", () => Effect.fail("no")))],
    [
      "throws",
      pipeline().andThen(
        handler("Fails", () => {
          throw new Error("no")
        }),
      ),
    ],
  ])("ends both spans as failed where a handler %s", async (_, failing) => {
    expect(shown(await spansOf(failing))).toEqual([
      ["tool tool", "turn", "Failure"],
      ["handler Fails", "tool tool", "Failure"],
    ])
  })

  it("ends the call's span as failed where it is denied", async () => {
    const spans = await spansOf(pipeline().awaitApproval(), {}, { gate: "deny" })
    expect(shown(spans)).toEqual([
      ["tool tool", "turn", "Failure"],
      ["wait approval", "tool tool", "Success"],
    ])
    expect(spans[1]!.attributes.get("decidedBy")).toBe("user")
  })

  it("leaves no span open after a cancel", async () => {
    for (const stuck of [() => Effect.never, () => new Promise<never>(() => undefined)]) {
      const spans = await spansOf(
        pipeline()
          .andThen(handler("Stuck", stuck))
          .finally(handler("Close", () => Step.Continue)),
        {},
        { cancels: true },
      )
      expect(shown(spans)).toEqual([
        ["tool tool", "turn", "Failure"],
        ["handler Stuck", "tool tool", "Failure"],
        ["handler Close", "tool tool", "Success"],
      ])
    }
  })

  it("has a span of a call that is refused", async () => {
    const spans = await spansOf(plan, { name: "nothing" })
    expect(shown(spans)).toEqual([["tool nothing", "turn", "Failure"]])
  })

  it("costs no call anything where the tracer throws", async () => {
    const broken = () => {
      throw new Error("broken tracer")
    }
    const callTrace = { handler: broken, wait: broken, end: broken }
    const handlerTrace = { run: broken, wrap: broken, end: broken }
    const tracers: ReadonlyArray<ExecutorTracer> = [
      { call: broken },
      { call: () => callTrace },
      { call: () => ({ handler: () => handlerTrace, wait: () => broken, end: broken }) },
    ]
    for (const trace of tracers) {
      await using executor = new ToolExecutor(registryOf({ tool: plan.awaitApproval() }), { trace })
      const result = await executor.run(
        { name: "tool" },
        (event) => event._tag === "AwaitingApproval" && event.approve(),
      )
      expect(result).toMatchObject({ status: "complete", content: "text" })
    }
  })

  it("runs a handler once, and fails with what the handler threw, where the tracer throws afterwards", async () => {
    let runs = 0
    const failing = handler("Fails", () => {
      runs += 1
      throw new Error("of the handler")
    })
    const trace: ExecutorTracer = {
      call: () => ({
        handler: () => ({ run: (work) => work(), wrap: (effect) => effect, end: () => undefined }),
        wait: () => () => undefined,
        end: () => undefined,
      }),
    }
    await using executor = new ToolExecutor(registryOf({ tool: pipeline().andThen(failing) }), { trace })
    expect((await executor.run({ name: "tool" })).content).toBe("of the handler")
    expect(runs).toBe(1)
  })

  it("takes a tracer of Effect's own, which the program need not have, for what handlers trace too", async () => {
    const inside = handler("Lint", () => Effect.withSpan(Effect.as(Effect.yieldNow, Step.Continue), "inside"))
    const spans = await spansOf(pipeline().andThen(inside).awaitApproval(), {}, { trace: "own" })
    expect(shown(spans)).toEqual([
      ["tool tool", undefined, "Success"],
      ["handler Lint", "tool tool", "Success"],
      ["inside", "handler Lint", "Success"],
      ["wait approval", "tool tool", "Success"],
    ])
  })

  it("refuses what is no tracer", () => {
    expect(() => new ToolExecutor(registryOf({}), { trace: {} as ExecutorTracer })).toThrow(
      "Expected `trace` to be true, false, or a Tracer of stepline or of Effect, got `[object Object]` (object)",
    )
  })

  it("works without a program around, through the default tracer", async () => {
    const executor = new ToolExecutor(registryOf({ tool: plan }), { trace: true })
    expect(await executor.run({ name: "tool" })).toMatchObject({ content: "text" })
    await executor.shutdown()
  })
})

it("links the span of `resolve` to that of the call that staged the preview", async () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    },
  })
  const plan = pipeline()
    .awaitResolve({ label: "Change" })
    .andThen(() => Step.Output("changed"))
  await using executor = new ToolExecutor(registryOf({ tool: plan }), { trace: tracer })
  await executor.run({ name: "tool" })
  await executor.agent().resolve({ action: "apply", reason: "Good" })
  const resolving = spans.find(({ name }) => name === "tool resolve")
  expect(resolving?.links.map(({ span }) => span.spanId)).toEqual([spans[0]!.spanId])
})
