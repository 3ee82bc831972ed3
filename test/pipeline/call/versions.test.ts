import { beforeEach, describe, expect, it } from "vitest"
import {
  type CallSnapshot,
  pipeline,
  Step,
  type ToolEvent,
  ToolExecutor,
  ToolRegistry,
} from "../../../src/index.ts"
import { executorOf, type Plan, registryOf, toolOf } from "../../support/executor-of.ts"

let ran: Array<string>

beforeEach(() => {
  ran = []
})

const works = (say: string) => () => {
  ran.push(say)
  return Step.Output(say)
}

const gated = (say = "one") => pipeline().awaitApproval().andThen(works(say))

/** The same kinds and names, with another text. */
const otherwise = () =>
  pipeline()
    .awaitApproval()
    .andThen(() => {
      ran.push("other")
      return Step.Output("other")
    })

const until = async (executor: ToolExecutor, tag: ToolEvent["_tag"]) => {
  for (;;) {
    const event = await executor.next()
    if (event === undefined || event._tag === tag) return event
  }
}

/** Of a call that waits at its gate. */
const snapshotOf = async (plan: Plan): Promise<CallSnapshot> => {
  const executor = executorOf({ tool: plan })
  executor.enqueue([{ callId: "c", name: "tool" }])
  await until(executor, "AwaitingApproval")
  return executor.snapshot("c")
}

const goOn = async (snapshot: CallSnapshot, executor: ToolExecutor): Promise<void> => {
  executor.restore(snapshot)
  await until(executor, "AwaitingApproval")
  executor.approve("c")
  await until(executor, "Completed")
}

describe("a call that waits", () => {
  it("goes on with other code of the same version", async () => {
    const snapshot = await snapshotOf(toolOf("tool", gated(), { version: "1" }))
    await goOn(snapshot, executorOf({ tool: toolOf("tool", otherwise(), { version: "1" }) }))
    expect(ran).toEqual(["other"])
  })

  it.each([{ version: "2" }, {}])("does not go on with %j in place of its version", async (options) => {
    const snapshot = await snapshotOf(toolOf("tool", gated(), { version: "1" }))
    expect(() => executorOf({ tool: toolOf("tool", gated(), options) }).restore(snapshot)).toThrow(
      'Cannot restore "c": it was written down with version 1 of tool "tool", which is gone. Register it beside the present one, or run the call anew',
    )
  })

  it("goes on with the first version of a tool that had none", async () => {
    const snapshot = await snapshotOf(gated())
    await goOn(snapshot, executorOf({ tool: toolOf("tool", gated("one"), { version: "1" }) }))
    expect(ran).toEqual(["one"])
  })

  it("goes on with its version, where a later one is registered beside it", async () => {
    const snapshot = await snapshotOf(toolOf("tool", gated(), { version: "1" }))
    const registry = registryOf({ tool: toolOf("tool", gated("one"), { version: "1" }) })
    registry.register(toolOf("tool", gated("two")), { version: "2" })
    const executor = new ToolExecutor(registry)
    await goOn(snapshot, executor)
    await executor.run({ name: "tool", decision: "approve" })
    expect(ran).toEqual(["one", "two"])
  })

  it("is no snapshot if its version is no text", async () => {
    const snapshot = { ...(await snapshotOf(gated())), toolVersion: 1 } as never
    expect(() => executorOf({ tool: gated() }).restore(snapshot)).toThrow("this is no snapshot of a call")
  })
})

describe("a preview that waits", () => {
  const staged = (options: { readonly version?: string }, apply = works("applied")) =>
    toolOf(
      "tool",
      pipeline()
        .andThen(() => Step.Output("preview"))
        .awaitResolve({ label: "Change" })
        .andThen(apply),
      options,
    )

  const snapshotOfStaged = async (options: { readonly version?: string }): Promise<CallSnapshot> => {
    const executor = executorOf({ tool: staged(options) })
    await executor.run({ callId: "c", name: "tool" })
    return executor.snapshot("c")
  }

  it("is not applied by another version", async () => {
    const snapshot = await snapshotOfStaged({ version: "1" })
    const executor = executorOf({ tool: staged({ version: "2" }) })
    expect(() => executor.restore(snapshot)).toThrow(
      'written down with version 1 of tool "tool", which is gone',
    )
    expect(executor.agent().pendingActions.list()).toEqual([])
  })

  it("is applied by its own version, also when it was written down again", async () => {
    const registry = new ToolRegistry([staged({ version: "1" })])
    registry.register(staged({ version: "2" }, works("wrong")))
    const first = new ToolExecutor(registry)
    first.restore(await snapshotOfStaged({ version: "1" }))
    const second = new ToolExecutor(registry)
    second.restore(first.snapshot("c"))
    await second.agent().resolve({ action: "apply", reason: "so" })
    expect(ran).toEqual(["applied"])
  })
})

describe("the versions of a registry", () => {
  const version = (number: string) => toolOf("tool", gated(number), { version: number })

  it("stand beside each other, and calls run the last", () => {
    const [first, second] = [version("1"), version("2")]
    const registry = new ToolRegistry([first]).register(second)
    expect(registry.get("tool")).toBe(second)
    expect(registry.get("tool", "1")).toBe(first)
    expect(registry.get("tool", "2")).toBe(second)
    expect(registry.get("tool", "3")).toBeUndefined()
    expect([...registry]).toEqual([second])
    expect(registry.definitions()).toHaveLength(1)
  })

  it("are registered once each", () => {
    const registry = new ToolRegistry([version("1")]).register(version("2"))
    for (const again of [version("1"), version("2")])
      expect(() => registry.register(again)).toThrow("already registered")
    expect(() => registry.register(toolOf("tool", gated()))).toThrow("already registered")
    expect(() => new ToolRegistry([toolOf("tool", gated())]).register(version("1"))).toThrow(
      "already registered",
    )
  })

  it("go together", () => {
    const registry = new ToolRegistry([version("1")]).register(version("2"))
    registry.register(version("3"), { replace: true })
    expect(registry.get("tool", "1")).toBeUndefined()
    registry.register(version("4"))
    expect(registry.unregister("tool")).toBe(true)
    expect(registry.get("tool", "3")).toBeUndefined()
  })

  it("are texts", () => {
    expect(() => toolOf("tool", gated(), { version: 1 as never })).toThrow(
      "Expected `version` of tool `tool` to be a string, got `1` (number)",
    )
    expect(() => new ToolRegistry().register(version("1"), { version: 2 as never })).toThrow(
      "Expected `version` of `register` to be a string, got `2` (number)",
    )
  })
})
