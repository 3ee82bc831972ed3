import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type CallFilter,
  pipeline,
  Step,
  type ToolEvent,
  type ToolExecutor,
  type ToolExecutorOptions,
} from "../../src/index.ts"
import { isTerminal, ScriptedHost } from "../../src/testing.ts"
import { never, turn, until } from "./deferred.ts"
import { is } from "./event-of.ts"
import { executorOf, type Plan, toolOf } from "./executor-of.ts"

const unhandled: Array<unknown> = []
const note = (reason: unknown) => unhandled.push(reason)

beforeEach(() => {
  unhandled.length = 0
  process.on("unhandledRejection", note)
  process.on("uncaughtException", note)
})

afterEach(async () => {
  await turn()
  process.off("unhandledRejection", note)
  process.off("uncaughtException", note)
  expect(unhandled).toEqual([])
})

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
      pipeline().andThen(() => ({
        // biome-ignore lint/suspicious/noExplicitAny: the signature of `then` is generic
        then: (resolve: any, reject: any) => {
          resolve(Step.Output("first"))
          resolve(Step.Output("second"))
          reject(new Error("third"))
        },
      })),
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

describe("a host", () => {
  it("that answers an effect with nonsense fails it", async () => {
    for (const answer of [
      5,
      true,
      [],
      { content: "text" },
      { content: [{ type: "video" }] },
      Symbol("odd"),
    ]) {
      const executor = executorOf({ tool: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })) })
      const host = new ScriptedHost(executor, { effect: () => answer as never })
      await host.run([{ callId: "c", name: "tool" }])
      expect(host.terminal("c")).toMatchObject({ _tag: "Error", reason: "failed" })
    }
  })

  it("that fails an effect without words fails it all the same", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })) })
    for (const message of [undefined, null, "", new Error("no window"), Object.create(null)]) {
      executor.enqueue([{ callId: "c", name: "tool" }])
      const host = new ScriptedHost(executor)
      ;(await host.until(is("Delegate"))).fail(message as never)
      await host.run()
      expect(host.terminal("c")).toMatchObject({ _tag: "Error", content: expect.any(String) })
    }
  })

  it("that answers by id with nonsense loses no call", async () => {
    const executor = executorOf({ tool: pipeline().andThen(() => Step.Delegate({ _tag: "Ask" })) })
    const host = new ScriptedHost(executor)
    for (const answer of [undefined, null, "text"]) {
      executor.enqueue([{ callId: "c", name: "tool" }])
      await host.until(is("Delegate"))
      // Its mistake may throw, as long as the call can still be answered or cancelled.
      await Promise.resolve()
        .then(() => executor.respond("c", answer as never))
        .catch(() => undefined)
      executor.cancelCall("c")
      await host.run()
    }
    expect(host.events.filter(isTerminal)).toHaveLength(3)
  })

  it("that approves with nonsense approves", async () => {
    const executor = executorOf({ gate })
    const host = new ScriptedHost(executor)
    for (const options of [null, "yes", 1]) {
      executor.enqueue([{ callId: "c", name: "gate" }])
      const asked = await host.until(is("AwaitingApproval"))
      expect(asked.approve(options as never)).toBe(true)
      expect((await host.run()).at(-1)).toMatchObject({ _tag: "Completed" })
    }
  })

  it("that denies with a reason that is no text denies", async () => {
    const executor = executorOf({ gate })
    const host = new ScriptedHost(executor)
    for (const reason of [5, {}, Symbol("odd")]) {
      executor.enqueue([{ callId: "c", name: "gate" }])
      const asked = await host.until(is("AwaitingApproval"))
      expect(asked.deny(reason as never)).toBe(true)
      expect((await host.run()).at(-1)).toMatchObject({ _tag: "Denied", content: expect.any(String) })
    }
  })

  it("that cancels with a reason that is no text cancels", async () => {
    const executor = executorOf({ stuck: pipeline().andThen(() => never()) })
    for (const reason of [5, {}, Symbol("odd")]) {
      executor.enqueue([{ callId: "c", name: "stuck" }])
      await turn()
      executor.cancelCall("c", reason as never)
      expect((await new ScriptedHost(executor).run()).at(-1)).toMatchObject({
        _tag: "Cancelled",
        content: expect.any(String),
      })
    }
  })

  it("whose reader of `run` throws at every event loses no terminal result", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Delta("x"))
        .andThen(async ({ delta }) => {
          await delta("y")
          return Step.Output("done")
        })
        .finally(() => Step.Delta("z")),
    })
    const seen: Array<string> = []
    const result = await executor.run({ name: "tool" }, (event: ToolEvent) => {
      seen.push(event._tag)
      throw new Error("cannot draw")
    })
    expect(result).toMatchObject({ status: "complete", content: "done" })
    expect(seen).toEqual(["Started", "Delta", "Delta", "Delta", "Completed"])
  })

  it("that cancels, enqueues and shuts down from inside the reader of `run` does no harm", async () => {
    const executor: ToolExecutor = executorOf({ tool: pipeline().awaitApproval(), quick: pipeline() })
    for (const act of ["Started", "AwaitingApproval", "Cancelled"]) {
      const seen: Array<string> = []
      const result = await executor.run({ callId: "c", name: "tool" }, (event) => {
        seen.push(event._tag)
        if (event._tag === act) {
          executor.cancelCall("c")
          executor.cancel()
          executor.enqueue([{ name: "quick", agentId: "other" }])
        } else if (event._tag === "AwaitingApproval") executor.cancelCall("c")
      })
      expect(result).toMatchObject({ status: "cancelled" })
      expect(seen.at(-1)).toBe("Cancelled")
      expect(seen.filter((tag) => tag === "Cancelled")).toHaveLength(1)
    }
    await new ScriptedHost(executor).run()
    let down: Promise<void> | undefined
    const result = await executor.run({ name: "tool" }, (event) => {
      if (event._tag === "Started") down = executor.shutdown()
    })
    await down
    expect(result).toMatchObject({ status: "cancelled" })
  })

  it("that answers at once, from inside the event, a thousand times over does not grow the stack", async () => {
    let plan = pipeline()
    for (let i = 0; i < 5000; i++) {
      plan = i % 2 === 0 ? plan.awaitApproval() : plan.andThen(() => Step.Delegate({ _tag: "Ask" }))
    }
    const executor = executorOf({ tool: plan })
    let answered = 0
    const result = await executor.run({ name: "tool" }, (event) => {
      if (event._tag === "AwaitingApproval" && event.approve()) answered += 1
      if (event._tag === "Delegate" && event.succeed()) answered += 1
    })
    expect(result).toMatchObject({ status: "complete" })
    expect(answered).toBe(5000)
  })

  it("that cancels between two events never makes a call end twice", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Delta("x"))
        .awaitApproval()
        .andThen(async () => Step.Output("done"))
        .finally(async () => Step.Continue),
    })
    for (let cut = 1; cut <= 4; cut++) {
      const host = new ScriptedHost(executor)
      let told = 0
      executor.enqueue([{ callId: "c", name: "tool" }])
      for (;;) {
        const event = await executor.next()
        if (event === undefined) break
        host.events.push(event)
        told += 1
        if (told === cut) executor.cancelCall("c")
        else if (event._tag === "AwaitingApproval") event.approve()
      }
      expect(host.events.filter(isTerminal)).toHaveLength(1)
      expect(isTerminal(host.events.at(-1)!)).toBe(true)
    }
  })
})

describe("everything in an event or a result but its answer functions and its cause", () => {
  const withoutAnswers = (event: ToolEvent): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(event).filter(([key, value]) => typeof value !== "function" && key !== "cause"),
    )

  it("is plain JSON, with no field that is undefined", async () => {
    const executor = executorOf({
      tool: pipeline()
        .andThen(() => Step.Output("preview"))
        .andThen(() => Step.Delta("x"))
        .awaitApproval({ label: "sure?" })
        .andThen(() => Step.Delegate({ _tag: "Ask" }))
        .finally({ name: "close", call: () => Step.Error("gone") }),
      gate: pipeline().awaitApproval(),
      fails: pipeline().andThen(() => Step.Error("no", { cause: new Error("why") })),
      stuck: pipeline().andThen(() => never()),
    })
    const host = new ScriptedHost(executor, {
      gate: ({ callId }) =>
        callId === "denied" ? { deny: "no" } : callId === "edited" ? { params: {} } : "approve",
    })
    const done = host.run([
      { name: "tool" },
      { name: "tool", background: true },
      { callId: "edited", name: "tool" },
      { callId: "denied", name: "gate" },
      { name: "gate" },
      { name: "fails" },
      { name: "nope" },
      { name: "tool", decision: "deny" },
      { callId: "stuck", name: "stuck" },
    ])
    await until(() => host.tags("stuck").includes("Started"))
    executor.cancelCall("stuck")
    await done
    for (const event of host.events.map(withoutAnswers)) {
      expect(JSON.parse(JSON.stringify(event))).toStrictEqual(event)
    }
    for (const name of ["tool", "gate", "fails", "nope"]) {
      const result = await executor.run({ name })
      expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result)
    }
    for (const task of executor.tasks.list()) expect(JSON.parse(JSON.stringify(task))).toStrictEqual(task)
  })
})
