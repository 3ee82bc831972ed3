import { describe, expect, it } from "vitest"
import { type ExecutorAgent, pipeline, Step, type ToolEvent, type ToolExecutor } from "../../src/index.ts"
import { isTerminal, ScriptedHost } from "../../src/testing.ts"
import { deferred, turn } from "../support/deferred.ts"
import { stamp } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, discard, editTool, labels, stage } from "./edit-tool.ts"

const withheld =
  "Tool call was not executed: call the `resolve` tool to apply or discard the pending action before using other tools."

const pending = async (resolveChoice?: "soft" | "forced") => {
  const { plan, log } = editTool()
  const executor = executorOf({ edit: plan }, { ...(resolveChoice && { resolveChoice }) })
  await stage(executor)
  return { executor, log, host: new ScriptedHost(executor) }
}

const other = (callId: string) => ({ callId, name: "edit", params: { path: `${callId}.ts` } })
const resolving = (callId: string, params: unknown = apply) => ({ callId, name: "resolve", params })

/** Enqueues a turn, and reads what comes of it. */
const turnOf = async (
  executor: ToolExecutor,
  calls: Parameters<ExecutorAgent["enqueueTurn"]>[0],
): Promise<Array<ToolEvent>> => {
  executor.agent("main").enqueueTurn(calls)
  return new ScriptedHost(executor).run()
}

const mode = (executor: ToolExecutor) => executor.agent().toolChoice()?.mode

describe("toolChoice", () => {
  it("is undefined while nothing is pending, in both modes", () => {
    expect(executorOf({}).agent().toolChoice()).toBeUndefined()
    expect(executorOf({}, { resolveChoice: "forced" }).agent("other").toolChoice()).toBeUndefined()
  })

  it("carries the reminder of the specification, hidden from the user", async () => {
    const { executor } = await pending()
    expect(executor.agent().toolChoice()).toEqual({
      mode: "remind",
      toolName: "resolve",
      reminder: {
        kind: "resolve-reminder",
        hidden: true,
        text: "<system-reminder>\nThis is a preview. Call the `resolve` tool to apply or discard these changes.\n</system-reminder>",
        details: { toolName: "edit" },
      },
    })
  })

  it("is each agent's own", async () => {
    const { executor } = await pending()
    expect(executor.agent("other").toolChoice()).toBeUndefined()
    await stage(executor, "b.ts", "other")
    executor.agent("other").enqueueTurn([])
    expect(executor.agent("other").toolChoice()).toMatchObject({ mode: "force" })
    expect(mode(executor)).toBe("remind")
  })

  it("ends with the last pending action, and reminds of the next one below", async () => {
    const { executor } = await pending()
    executor.agent().pendingActions.push({ label: "Move", apply: () => "moved" })
    expect(executor.agent().toolChoice()?.reminder.details.toolName).toBe("custom_tool")
    await executor.agent().resolve(apply)
    expect(executor.agent().toolChoice()).toMatchObject({
      mode: "remind",
      reminder: { details: { toolName: "edit" } },
    })
    await executor.agent().resolve(apply)
    expect(executor.agent().toolChoice()).toBeUndefined()
  })

  it("refuses a kind that there is not", () => {
    expect(() => executorOf({}, { resolveChoice: "hard" as never })).toThrow(
      new TypeError("Expected `resolveChoice` to be `soft` or `forced`, got `hard` (string)"),
    )
  })
})

describe("soft, the default", () => {
  it("reminds once, and leaves the choice free after calls that nobody watches over", async () => {
    const { executor, host, log } = await pending()
    expect(mode(executor)).toBe("remind")
    await host.run([{ callId: "c", name: "unknown" }])
    expect(host.terminal("c")).toMatchObject({ reason: "unknown-tool" })
    expect(mode(executor)).toBe("auto")
    expect(labels(executor)).toEqual(["Change a.ts"])
    expect(log).toEqual(["preview a.ts"])
  })

  it("never withholds what is enqueued plainly", async () => {
    const { executor, host } = await pending()
    for (const callId of ["1", "2"]) await host.run([other(callId)])
    expect(host.terminal("1")).toMatchObject({ _tag: "Completed" })
    expect(host.terminal("2")).toMatchObject({ _tag: "Completed" })
    expect(labels(executor)).toHaveLength(3)
  })

  it("goes on reminding where the calls are another agent's", async () => {
    const { executor, host } = await pending()
    await host.run([{ agentId: "other", name: "unknown" }])
    expect(mode(executor)).toBe("remind")
  })

  it("lets a turn of resolve alone run", async () => {
    const { executor, log } = await pending()
    const events = await turnOf(executor, [resolving("r")])
    expect(events.at(-1)).toMatchObject({ _tag: "Completed", content: "changed a.ts" })
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
    expect(executor.agent().toolChoice()).toBeUndefined()
  })

  it("lets a turn of two resolves run", async () => {
    const { executor } = await pending()
    await stage(executor, "b.ts")
    await turnOf(executor, [resolving("1"), resolving("2", discard)])
    expect(labels(executor)).toEqual([])
  })

  it.each([
    ["other calls", [other("1"), other("2")]],
    ["other calls beside resolve", [resolving("1"), other("2")]],
    ["an unknown tool", [{ callId: "1", name: "unknown" }]],
    ["a background call", [{ ...other("1"), background: true }]],
  ])("withholds a turn of %s, each call with the text, and forces", async (_, calls) => {
    const { executor, log } = await pending()
    const events = await turnOf(executor, calls)
    expect(events).toEqual(
      calls.map(({ callId, name }) => ({
        _tag: "Error",
        ...stamp,
        agentId: "main",
        callId,
        name,
        content: withheld,
        reason: "withheld",
      })),
    )
    expect(log).toEqual(["preview a.ts"])
    expect(mode(executor)).toBe("force")
    expect(executor.agent().toolChoice()?.reminder.kind).toBe("resolve-reminder")
  })

  it("forces after an empty turn", async () => {
    const { executor } = await pending()
    expect(executor.agent("main").enqueueTurn([])).toEqual([])
    expect(mode(executor)).toBe("force")
    expect(await executor.next()).toBeUndefined()
  })

  it("gives up after three forced turns: the choice is free, and the action still pending", async () => {
    const { executor, host } = await pending()
    const modes: Array<string | undefined> = []
    for (const callId of ["1", "2", "3", "4"]) {
      const [end] = await turnOf(executor, [other(callId)])
      expect(end).toMatchObject({ callId, content: withheld })
      modes.push(mode(executor))
    }
    expect(modes).toEqual(["force", "force", "force", "auto"])
    expect(labels(executor)).toEqual(["Change a.ts"])
    executor.agent("main").enqueueTurn([other("5")])
    await host.run()
    expect(host.terminal("5")).toMatchObject({ _tag: "Completed" })
  })

  it("counts empty turns among the forced ones", async () => {
    const { executor } = await pending()
    for (let n = 0; n < 4; n += 1) executor.agent("main").enqueueTurn([])
    expect(mode(executor)).toBe("auto")
  })

  it("still lets the model resolve once it has given up", async () => {
    const { executor } = await pending()
    for (let n = 0; n < 4; n += 1) executor.agent("main").enqueueTurn([])
    const events = await turnOf(executor, [resolving("r")])
    expect(events.at(-1)).toMatchObject({ content: "changed a.ts" })
  })

  it("begins anew with a new action, and with one whose apply failed", async () => {
    let fails = true
    const { plan } = editTool({ apply: () => (fails ? Step.Error("no room") : Step.Continue) })
    const executor = executorOf({ edit: plan })
    await stage(executor)
    for (let n = 0; n < 4; n += 1) executor.agent("main").enqueueTurn([])
    await turnOf(executor, [resolving("r")])
    expect(mode(executor)).toBe("remind")
    for (let n = 0; n < 4; n += 1) executor.agent("main").enqueueTurn([])
    await stage(executor, "b.ts")
    expect(mode(executor)).toBe("remind")
    fails = false
    await executor.agent().resolve(apply)
    expect(mode(executor)).toBe("remind")
  })

  it("counts a forced turn whose resolve call does not fit its schema", async () => {
    const { executor } = await pending()
    await turnOf(executor, [other("1")])
    const modes: Array<string | undefined> = []
    for (const callId of ["r1", "r2", "r3"]) {
      const events = await turnOf(executor, [resolving(callId, {})])
      expect(events).toMatchObject([{ callId, reason: "invalid" }])
      modes.push(mode(executor))
    }
    expect(modes).toEqual(["force", "force", "auto"])
    expect(labels(executor)).toEqual(["Change a.ts"])
  })

  it("reminds no second time of a resolve call that does not fit its schema, and watches on", async () => {
    const { executor } = await pending()
    await turnOf(executor, [resolving("r", {})])
    expect(mode(executor)).toBe("auto")
    const [end] = await turnOf(executor, [other("1")])
    expect(end).toMatchObject({ reason: "withheld" })
    expect(mode(executor)).toBe("force")
  })

  it("withholds a watched turn also after calls that nobody watched over", async () => {
    const { executor, host } = await pending()
    await host.run([{ callId: "c", name: "unknown" }])
    const [end] = await turnOf(executor, [other("1")])
    expect(end).toMatchObject({ callId: "1", content: withheld })
    expect(mode(executor)).toBe("force")
  })

  it("watches over nothing where nothing is pending", async () => {
    const executor = executorOf({ edit: editTool().plan })
    const events = await turnOf(executor, [other("1"), { callId: "r", name: "resolve", params: apply }])
    expect(events.filter((event) => event._tag === "Completed")).toHaveLength(2)
  })

  it("withholds nothing while the only pending action is being resolved", async () => {
    const held = deferred()
    const { plan } = editTool({
      apply: async () => {
        await held.promise
        return Step.Error("no room")
      },
    })
    const executor = executorOf({ edit: plan })
    await stage(executor)
    const resolve = executor.agent().resolve(apply)
    await turn()
    executor.agent("main").enqueueTurn([{ callId: "c", name: "unknown" }])
    expect(await executor.next()).toMatchObject({ callId: "c", reason: "unknown-tool" })
    held.resolve()
    await resolve
    expect(mode(executor)).toBe("remind")
  })

  it("withholds a turn in its lane: the results come in order", async () => {
    const held = deferred()
    const executor = executorOf({
      edit: editTool().plan,
      slow: pipeline().andThen(() => held.promise.then(() => Step.Continue)),
    })
    executor.enqueue([{ callId: "slow", name: "slow" }])
    await turn()
    executor.agent().pendingActions.push({ label: "Move", apply: () => "moved" })
    executor.agent("main").enqueueTurn([other("after")])
    await turn()
    held.resolve()
    const events = await new ScriptedHost(executor).run()
    expect(events.filter(isTerminal).map((event) => event.callId)).toEqual(["slow", "after"])
  })
})

describe("forced", () => {
  it("forces from the preview on", async () => {
    const { executor } = await pending("forced")
    expect(executor.agent().toolChoice()).toMatchObject({
      mode: "force",
      reminder: { kind: "resolve-reminder", details: { toolName: "edit" } },
    })
  })

  it("asks again as often as the model declines, and never gives up", async () => {
    const { executor } = await pending("forced")
    for (let n = 0; n < 6; n += 1) {
      executor.agent("main").enqueueTurn(n % 2 === 0 ? [] : [other(`${n}`)])
      expect(mode(executor)).toBe("force")
    }
    await new ScriptedHost(executor).run()
    expect(executor.agent().toolChoice()).toMatchObject({ mode: "force" })
  })

  it("withholds what the model calls instead", async () => {
    const { executor, log } = await pending("forced")
    const [end] = await turnOf(executor, [other("1")])
    expect(end).toMatchObject({ _tag: "Error", reason: "withheld", content: withheld })
    expect(log).toEqual(["preview a.ts"])
  })

  it("stays forced after calls that nobody watches over, and withholds none of them", async () => {
    const { executor, host } = await pending("forced")
    await host.run([{ callId: "c", name: "unknown" }])
    expect(host.terminal("c")).toMatchObject({ reason: "unknown-tool" })
    expect(mode(executor)).toBe("force")
  })

  it("ends once it is resolved", async () => {
    const { executor } = await pending("forced")
    await turnOf(executor, [resolving("r", discard)])
    expect(executor.agent().toolChoice()).toBeUndefined()
  })
})
