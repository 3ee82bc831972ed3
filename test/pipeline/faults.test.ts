import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  type CallFilter,
  type EffectHandler,
  pipeline,
  Step,
  ToolExecutor,
  type ToolExecutorOptions,
  ToolRegistry,
} from "../../src/index.ts"
import { isTerminal, ScriptedHost } from "../../src/testing.ts"
import { turn } from "../support/deferred.ts"
import { executorOf, type Plan, toolOf } from "../support/executor-of.ts"
import { expectNothingUnhandled } from "../support/unhandled.ts"

expectNothingUnhandled()

const gate = pipeline()
  .awaitApproval()
  .andThen(() => Step.Output("done"))

/** The executor still runs calls, in the same lane. */
const expectAlive = async (executor: ToolExecutor) => {
  expect(await executor.run({ callId: "alive", name: "quick", decision: "approve" })).toMatchObject({
    status: "complete",
  })
}

const endOf = async (plan: Plan, options?: ToolExecutorOptions) => {
  const executor = executorOf({ tool: plan, quick: pipeline() }, options)
  const host = new ScriptedHost(executor)
  await host.run([{ callId: "c", name: "tool" }])
  expect(host.events.filter(isTerminal)).toHaveLength(1)
  await expectAlive(executor)
  return host.terminal("c")
}

describe("a handler", () => {
  it("whose name cannot be read is anonymous, also where it fails to clean up", async () => {
    const nameless = (step: Step) =>
      Object.defineProperty({ call: () => step }, "name", {
        get() {
          throw new Error("odd")
        },
      }) as unknown as EffectHandler
    const plan = pipeline()
      .andThen(nameless(Step.Continue))
      .finally(nameless(Step.Error("odd")))
    expect(await endOf(plan)).toMatchObject({ _tag: "Completed", cleanupErrors: ["anonymous: odd"] })
    expect(plan.describe().map(({ name }) => name)).toEqual(["anonymous", "anonymous"])
  })

  const odd: Record<string, () => unknown> = {
    "whose `then` throws when it is read": () =>
      Object.defineProperty({}, "then", {
        get() {
          throw new Error("odd")
        },
      }),
    "whose thenable throws": () => ({
      then() {
        throw new Error("odd")
      },
    }),
    "whose iterator cannot be made": () => ({
      [Symbol.asyncIterator]() {
        throw new Error("odd")
      },
    }),
    "whose iterator throws": () => ({
      [Symbol.asyncIterator]: () => ({
        next() {
          throw new Error("odd")
        },
      }),
    }),
    "whose iterator rejects": () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("odd")) }),
    }),
    "whose iterator gives nonsense": () => ({
      [Symbol.asyncIterator]: () => ({ next: async () => undefined }),
    }),
    "that throws an object whose message throws": () => {
      throw Object.defineProperty({}, "message", {
        get() {
          throw new Error("odd")
        },
      })
    },
    "that throws what cannot even be asked whether it is an Error": () => {
      throw new Proxy(
        {},
        {
          getPrototypeOf() {
            throw new Error("odd")
          },
        },
      )
    },
    "that gives an Error step without a message": () => Step.Error(undefined as never),
    "that gives a Delta without content": () => ({ _tag: "Delta", content: Object.create(null) }),
    "that asks for no effect at all": () => ({ _tag: "Delegate" }),
    "that asks for an effect that is null": () => ({ _tag: "Delegate", effect: null }),
    "that asks with a time-out that is none": () =>
      Step.Delegate({ _tag: "Ask" }, { timeout: "soon" as never }),
    "that gives a step whose tag throws": () =>
      Object.defineProperty({}, "_tag", {
        get() {
          throw new Error("odd")
        },
      }),
    "that gives an output whose content throws": () =>
      Step.Output(
        Object.defineProperty({}, "content", {
          get() {
            throw new Error("odd")
          },
        }) as never,
      ),
  }
  for (const [how, call] of Object.entries(odd)) {
    it(`${how} is an Error, and takes nothing else down`, async () => {
      for (const shape of [
        call,
        async () => {
          await turn()
          return call()
        },
        () => Effect.sync(call),
        () => Effect.andThen(Effect.yieldNow, Effect.sync(call)),
        async function* () {
          yield call()
        },
      ]) {
        const end = await endOf(pipeline().andThen({ name: "odd", call: shape as () => Step }))
        expect(end).toMatchObject({ _tag: "Error", reason: "failed", content: expect.any(String) })
      }
    })
  }

  it("that throws while it cleans up is a cleanup error", async () => {
    for (const call of Object.values(odd)) {
      const end = await endOf(pipeline().finally({ name: "odd", call: call as () => Step }))
      expect(end).toMatchObject({ _tag: "Completed", cleanupErrors: [expect.stringMatching(/^odd: /)] })
    }
  })

  it("may leave a rejected promise behind that it never awaited", async () => {
    const end = await endOf(
      pipeline().andThen(({ delta }) => {
        void delta("x")
        return Step.Output("done")
      }),
    )
    expect(end).toMatchObject({ content: "done" })
  })

  it("may answer a promise twice over: the first answer counts", async () => {
    const end = await endOf(
      pipeline().andThen(
        () =>
          ({
            then: (resolve: (step: Step) => void, reject: (error: Error) => void) => {
              resolve(Step.Output("first"))
              resolve(Step.Output("second"))
              reject(new Error("third"))
            },
          }) as PromiseLike<Step>,
      ),
    )
    expect(end).toMatchObject({ _tag: "Completed", content: "first" })
  })
})

describe("a tool", () => {
  it("whose compose gives a broken pipeline is an Error", async () => {
    const broken = [
      { steps: [{ kind: "handler", name: "x" }] },
      { steps: [null] },
      { steps: [{ kind: "other" }] },
      {
        get steps() {
          throw new Error("odd")
        },
      },
    ]
    for (const plan of broken) {
      const end = await endOf((() => plan) as never)
      expect(end).toMatchObject({ _tag: "Error", reason: "failed" })
    }
  })

  it("whose renderers throw runs as any other", async () => {
    const draws = () => {
      throw new Error("odd")
    }
    const end = await endOf(toolOf("tool", pipeline(), { renderCall: draws, renderResult: draws }))
    expect(end?._tag).toBe("Completed")
  })
})

describe("a filter", () => {
  const throwing = (when: number): CallFilter => {
    let asked = 0
    return {
      evaluate: () => {
        asked += 1
        if (asked === when) throw new Error("filter is broken")
        return undefined
      },
    }
  }

  it("that throws before the call does not let it through", async () => {
    const log: Array<string> = []
    const end = await endOf(
      () => {
        log.push("composed")
        return pipeline()
      },
      { filters: throwing(1) },
    )
    expect(end).toMatchObject({ _tag: "Denied", by: "policy" })
    expect(log).toEqual([])
  })

  it("that throws at the gate leaves it to the host", async () => {
    const executor = executorOf({ gate, quick: pipeline() }, { filters: throwing(2) })
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "gate" }])
    expect(host.tags()).toEqual(["Started", "AwaitingApproval", "Completed"])
    await expectAlive(executor)
  })

  it("that answers nonsense asks", async () => {
    const executor = executorOf({ gate }, { filters: { evaluate: () => "maybe" as never } })
    const host = new ScriptedHost(executor)
    await host.run([{ name: "gate" }])
    expect(host.tags()).toEqual(["Started", "AwaitingApproval", "Completed"])
  })

  it.each([
    ["nothing", () => undefined],
    ["no verdict", () => ({ verdict: "maybe", because: "so" })],
    ["no reason", () => ({ verdict: "ask" })],
    ["a promise that rejects", () => Promise.reject(new Error("odd"))],
    [
      "what throws when it is read",
      () => ({
        get verdict() {
          throw new Error("odd")
        },
      }),
    ],
  ])("that explains itself with %s asks, and says why", async (_, explain) => {
    const filters: CallFilter = { evaluate: () => undefined, explain: explain as never }
    const executor = executorOf({ gate, quick: pipeline() }, { filters })
    const host = new ScriptedHost(executor)
    await host.run([{ callId: "c", name: "gate" }])
    expect(host.events.find(({ _tag }) => _tag === "AwaitingApproval")).toMatchObject({
      because: expect.stringMatching(/^(The filter |No rule )/),
    })
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed" })
    await expectAlive(executor)
  })

  it("that answers with a promise lets nothing through", async () => {
    for (const answer of [() => Promise.resolve("deny"), () => Promise.reject(new Error("odd"))]) {
      const executor = executorOf({ quick: pipeline() }, { filters: { evaluate: answer as never } })
      expect(await executor.run({ name: "quick", decision: "approve" })).toMatchObject({
        status: "denied",
        by: "policy",
        content: "Denied by policy: the filter failed: it gave a promise, and a filter has to answer at once",
      })
    }
  })

  it("that cannot remember lets the approval count", async () => {
    for (const remember of [
      undefined,
      () => {
        throw new Error("read-only")
      },
      () => false,
    ]) {
      const filters: CallFilter = { evaluate: () => undefined, ...(remember && { remember }) }
      const executor = executorOf({ gate }, { filters })
      const host = new ScriptedHost(executor, { gate: { remember: true } })
      await host.run([{ callId: "c", name: "gate" }])
      expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: "done" })
    }
  })
})

describe("who is told and rejects", () => {
  const rejecting = () => Promise.reject(new Error("odd"))

  it("harms nobody: onDecision, watchers, listeners, titles and tracers", async () => {
    const tool = toolOf("tool", gate, { title: rejecting as never })
    const registry = new ToolRegistry([tool, toolOf("quick", pipeline())])
    const onDecision = rejecting as never
    const executor = new ToolExecutor(registry, { onDecision, trace: { call: rejecting } as never })
    executor.watch({ queued: rejecting, event: rejecting, decided: rejecting } as never)
    registry.onChange(rejecting as never)
    executor.agent().onDefinitionsChange(rejecting as never)
    registry.register(toolOf("other", pipeline()))
    expect(tool.title({})).toBe("tool")
    expect(
      await executor.run({ name: "tool" }, (event) => "approve" in event && event.approve()),
    ).toMatchObject({
      status: "complete",
    })
    await expectAlive(executor)
    await executor.shutdown()
  })
})
