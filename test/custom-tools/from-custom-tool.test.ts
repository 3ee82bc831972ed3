import { Type } from "@sinclair/typebox"
import { describe, expect, it } from "vitest"
import { type CurrentCall, currentCall } from "../../src/custom-tools/current-call.ts"
import {
  type CustomToolContext,
  type ExtensionContext,
  fromCustomTool,
} from "../../src/custom-tools/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { deferred, turn } from "../support/deferred.ts"
import { expectNothingUnhandled } from "../support/unhandled.ts"
import { customTool, endOf, eventsOf, executorFor, trusting } from "./tool-runs.ts"

const text = (words: string) => ({ type: "text", text: words })
const content = [text("done")]

describe("a custom tool", () => {
  expectNothingUnhandled()

  it("gets its arguments in its runtime's order", async () => {
    let received: Array<unknown> = []
    const parameters = Type.Object({ n: Type.Number(), unit: Type.String({ default: "m" }) })
    const execute = (...parts: Array<unknown>) => {
      received = parts
      return { content }
    }
    await eventsOf(fromCustomTool(customTool(execute, { parameters }), trusting), { n: "5" })
    const [callId, params, onUpdate, ctx, signal] = received
    expect(callId).toBe("c")
    expect(params).toEqual({ n: 5, unit: "m" })
    expect(onUpdate).toBeTypeOf("function")
    expect((ctx as CustomToolContext).isIdle()).toBe(false)
    expect(signal).toBeInstanceOf(AbortSignal)
  })

  it("is called as a method", async () => {
    class Counter {
      name = "sample"
      description = "Counts."
      parameters = Type.Object({})
      #count = 41
      execute() {
        this.#count += 1
        return { content: [{ type: "text" as const, text: String(this.#count) }] }
      }
    }
    const events = await eventsOf(fromCustomTool(new Counter(), trusting))
    expect(events.at(-1)).toMatchObject({ _tag: "Completed", content: "42" })
  })

  it("completes with content, images, details and terminate", async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" }
    const result = { content: [...content, image], details: { count: 2 }, terminate: true }
    expect(await endOf(() => result)).toMatchObject({ _tag: "Completed", content: "done", output: result })
    const executed = executorFor(
      fromCustomTool(
        customTool(() => result),
        trusting,
      ),
    )
    expect(await executed.run({ name: "sample" })).toMatchObject({ terminate: true, isError: false })
  })

  it("completes with what can be made of a malformed result", async () => {
    expect(await endOf(() => "bare")).toMatchObject({ _tag: "Completed", content: "bare" })
    expect(await endOf(async () => undefined)).toMatchObject({ _tag: "Completed", content: "" })
  })

  it("gives hosts details that are plain JSON, whatever the tool made", async () => {
    const details: Record<string, unknown> = { size: 1n }
    details.self = details
    const end = await endOf(() => ({ content, details }))
    expect(JSON.parse(JSON.stringify(end))).toMatchObject({
      output: { details: { size: "1", self: "[circular]" } },
    })
  })

  it("does not change what its host was told, by changing its parameters", async () => {
    const parameters = Type.Object({ path: Type.String() })
    const execute = (_id: unknown, params: { path: string }) => {
      params.path = "changed"
      return { content }
    }
    const tool = fromCustomTool(customTool(execute as () => unknown, { parameters }), trusting)
    const events = await eventsOf(tool, { path: "a" })
    expect(events[0]).toMatchObject({ _tag: "Started", params: { path: "a" } })
  })
})

describe("a custom tool that fails", () => {
  expectNothingUnhandled()

  it.each([
    ["an Error", new RangeError("too far"), "too far"],
    ["a string", "just so", "just so"],
    ["undefined", undefined, 'Tool "sample" failed without a reason'],
    ["an empty string", "", 'Tool "sample" failed without a reason'],
    ["an Error without a message", new Error(""), 'Tool "sample" failed without a reason'],
    ["an Error of a kind, without a message", new RangeError(), "RangeError"],
    ["an object", { code: 5 }, '{"code":5}'],
  ])("says what it threw: %s", async (_name, thrown, message) => {
    const execute = async () => {
      throw thrown
    }
    expect(await endOf(execute)).toMatchObject({ _tag: "Error", reason: "failed", content: message })
  })

  it("gives its host the cause", async () => {
    const cause = new Error("why")
    const execute = () => {
      throw cause
    }
    expect(await endOf(execute)).toHaveProperty("cause", cause)
  })

  it("keeps content and details of a failure that it returns", async () => {
    const result = { content: [text("no"), text("really")], details: { code: 5 }, isError: true }
    expect(await endOf(() => result)).toMatchObject({
      _tag: "Error",
      content: "no\nreally",
      output: { content: result.content, details: { code: 5 } },
    })
    const executor = executorFor(
      fromCustomTool(
        customTool(() => result),
        trusting,
      ),
    )
    expect(await executor.run({ name: "sample" })).toMatchObject({
      isError: true,
      output: { details: { code: 5 } },
    })
  })

  it("has a reason where it returns a failure without one", async () => {
    expect(await endOf(() => ({ isError: true }))).toMatchObject({
      content: 'Tool "sample" failed without a reason',
    })
  })

  it("cannot end the process", async () => {
    expect(await endOf(() => process.exit(3))).toMatchObject({
      _tag: "Error",
      content: expect.stringContaining("sample"),
    })
  })
})

describe("what becomes of it", () => {
  it("has the tool's own words, and its name for a label where it gives none", () => {
    const tool = fromCustomTool(customTool(() => "", { hidden: true }))
    expect(tool).toMatchObject({ name: "sample", label: "sample", description: "A sample.", hidden: true })
    expect(fromCustomTool(customTool(() => "", { label: "Sample" })).label).toBe("Sample")
  })

  it("refuses a name that no model provider accepts", () => {
    expect(() => fromCustomTool(customTool(() => "", { name: "a b" }))).toThrow(
      'Expected a tool\'s name to be 1 to 64 letters, digits, `_` or `-`, got "a b"',
    )
  })

  it("refuses a tool that cannot be called", () => {
    const { execute: _, ...tool } = customTool(() => "")
    expect(() => fromCustomTool(tool as never)).toThrow(
      'Expected a tool to have a function `execute`, got "sample" without one',
    )
  })

  it("is matched by the rules for the tool whose place it takes", () => {
    const withParameter = (name: string, schema = Type.String()) =>
      fromCustomTool(customTool(() => "", { parameters: Type.Object({ [name]: schema }) }))
    expect(withParameter("command")).toMatchObject({ primaryParam: "command", primaryKind: "command" })
    const parameters = Type.Object({ command: Type.String(), cwd: Type.Optional(Type.String()) })
    expect(fromCustomTool(customTool(() => "", { parameters })).workingDirParam).toBe("cwd")
    expect(withParameter("cwd").workingDirParam).toBeUndefined()
    expect(withParameter("path")).toMatchObject({ primaryParam: "path", primaryKind: "path" })
    expect(withParameter("other").primaryParam).toBeUndefined()
    expect(withParameter("path", Type.Array(Type.String()) as never).primaryParam).toBeUndefined()
  })

  it("runs in the background as any tool", async () => {
    const host = new ScriptedHost(
      executorFor(
        fromCustomTool(
          customTool(() => ({ content })),
          trusting,
        ),
      ),
    )
    const events = await host.run([{ callId: "c", name: "sample", background: true }])
    expect(events.at(-1)).toMatchObject({ _tag: "BackgroundCompleted", status: "complete" })
  })
})

describe("the code of a call", () => {
  it("is known by its call, also in what it starts", async () => {
    const calls: Array<CurrentCall | undefined> = []
    const execute = async (_id: unknown, _params: unknown, _onUpdate: unknown, ctx: ExtensionContext) => {
      calls.push(currentCall.getStore())
      await turn()
      calls.push(currentCall.getStore())
      expect(calls[1]?.signal).toBe(ctx.signal)
      return { content }
    }
    const executor = executorFor(fromCustomTool(customTool(execute as () => unknown), trusting))
    await executor.run({ callId: "c", agentId: "helper", name: "sample" })
    expect(calls[0]).toMatchObject({ callId: "c", agent: { agentId: "helper" } })
    expect(calls[1]).toBe(calls[0])
    expect(currentCall.getStore()).toBeUndefined()
  })
})

describe("ctx.abort", () => {
  expectNothingUnhandled()

  it("cancels all foreground calls of the calling agent, its own too, and tells the host", async () => {
    const told: Array<string> = []
    const execute = (_id: unknown, _params: unknown, _onUpdate: unknown, ctx: CustomToolContext) => {
      ctx.abort()
      return { content }
    }
    const tool = fromCustomTool(customTool(execute as () => unknown), {
      ...trusting,
      onAbort: (agentId) => told.push(agentId),
    })
    const host = new ScriptedHost(executorFor(tool))
    const ended = deferred()
    void host
      .run([
        { callId: "a", agentId: "helper", name: "sample" },
        { callId: "b", agentId: "helper", name: "sample" },
      ])
      .then(() => ended.resolve())
    await ended.promise
    expect(host.terminal("a")).toMatchObject({ _tag: "Cancelled" })
    expect(host.terminal("b")).toMatchObject({ _tag: "Cancelled" })
    expect(told).toEqual(["helper"])
  })
})
