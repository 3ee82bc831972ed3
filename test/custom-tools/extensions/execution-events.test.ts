import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { CustomTools } from "../../../src/custom-tools/index.ts"
import { AgentLoop } from "../../../src/hosts/agent-loop/index.ts"
import { defineTool, pipeline, Step, type ToolCall, ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { writeFiles } from "../loading/write-files.ts"
import { recordingLogger, temporaryFolder } from "./load-sources.ts"

const counting = defineTool({
  name: "counting",
  description: "Counts aloud.",
  parameters: { type: "object", properties: { to: { type: "number" } }, required: ["to"] },
  compose: (params) =>
    pipeline().andThen(async (context) => {
      const { to } = params as { to: number }
      for (let count = 1; count <= to; count += 1) await context.delta(`${count} `)
      return to === 0 ? Step.Error("nothing to count") : Step.Output("done")
    }),
})

type Heard = Readonly<Record<string, unknown>>

/** An executor with `counting`, and what an extension with this code has written to `heard`. */
const listenWith = async (code: string) => {
  const cwd = await temporaryFolder()
  await writeFiles(cwd, { "extension.mjs": `export default (pi) => { ${code} }` })
  const heard: Array<Heard> = []
  const registry = new ToolRegistry([counting])
  const host = {
    logger: recordingLogger(),
    appendEntry: (_type: string, data: unknown) => void heard.push(data as Heard),
  }
  const customTools = await CustomTools.load({ cwd, registry, paths: [join(cwd, "extension.mjs")], host })
  expect(customTools.errors).toEqual([])
  const executor = new ToolExecutor(registry, { hooks: customTools.hooks })
  onTestFinished(() => executor.shutdown())
  customTools.attach(executor)
  customTools.attach(executor)
  return { executor, customTools, heard }
}

/** Runs a call of `counting`; gives what an extension with this code has written to `heard`. */
const heardOf = async (call: Pick<ToolCall, "params">, code: string): Promise<Array<Heard>> => {
  const { executor, heard } = await listenWith(code)
  await executor.run({ name: "counting", callId: "c", ...call })
  await expect.poll(() => heard.at(-1)?.type).toBe("tool_execution_end")
  return heard
}

const listening = ["start", "update", "end"]
  .map((part) => `pi.on("tool_execution_${part}", (event) => pi.appendEntry("heard", event))`)
  .join("\n")

it("tells extensions that a call starts, what it puts out, and how it ends", async () => {
  const call = { toolCallId: "c", toolName: "counting" }
  const heard = await heardOf({ params: { to: 2 } }, listening)
  expect(heard[0]).toEqual({ type: "tool_execution_start", ...call, args: { to: 2 } })
  expect(heard.at(-2)).toEqual({
    type: "tool_execution_update",
    ...call,
    args: { to: 2 },
    partialResult: { content: [{ type: "text", text: "1 2 " }], details: undefined },
  })
  expect(heard.at(-1)).toEqual({
    type: "tool_execution_end",
    ...call,
    result: { content: [{ type: "text", text: "done" }], details: undefined },
    isError: false,
  })
})

it.each([
  ["fails", { to: 0 }, "nothing to count"],
  ["is not valid", {}, "Validation failed"],
])("tells of a call that %s from its start to its end", async (_case, params, text) => {
  const heard = await heardOf({ params }, listening)
  expect(heard.map(({ type }) => type)).toEqual(["tool_execution_start", "tool_execution_end"])
  expect(heard[0]).toMatchObject({ args: params })
  expect(heard[1]).toMatchObject({
    isError: true,
    result: { content: [{ type: "text", text: expect.stringContaining(text) }] },
  })
})

it("tells a slow listener of the latest update alone, and of every end", async () => {
  const slow = `let open
    const first = new Promise((resolve) => { open = resolve })
    pi.on("tool_execution_start", () => first)
    pi.on("tool_result", () => open())
    pi.on("tool_execution_update", (event) => pi.appendEntry("heard", event))
    pi.on("tool_execution_end", (event) => pi.appendEntry("heard", event))`
  const heard = await heardOf({ params: { to: 50 } }, slow)
  expect(heard.map(({ type }) => type)).toEqual(["tool_execution_update", "tool_execution_end"])
  expect(JSON.stringify(heard[0])).toContain("49 50 ")
})

describe("the turns of an agent", () => {
  const types = ["turn_start", "turn_end", "agent_end", "tool_execution_end"]
  const all = types.map((type) => `pi.on("${type}", (event) => pi.appendEntry("heard", event))`).join("\n")
  const call = (callId: string, to: number) => ({ name: "counting", callId, params: { to } })

  it("begin and end with `runTurn`, around their calls", async () => {
    const { executor, customTools, heard } = await listenWith(all)
    await executor.agent("main").runTurn([call("a", 0), call("b", 1)])
    await executor.agent("main").runTurn([])
    await customTools.emit({ type: "agent_end", messages: [] })
    expect(heard.map(({ type }) => type)).toEqual([
      ...[
        "turn_start",
        "tool_execution_end",
        "tool_execution_end",
        "turn_end",
        "turn_start",
        "turn_end",
        "agent_end",
      ],
    ])
    expect(heard[0]).toEqual({ type: "turn_start", turnIndex: 0, timestamp: expect.any(Number) })
    expect(heard[3]).toMatchObject({
      turnIndex: 0,
      message: {
        role: "assistant",
        content: [
          { type: "toolCall", id: "a", name: "counting", arguments: { to: 0 } },
          { type: "toolCall", id: "b", name: "counting", arguments: { to: 1 } },
        ],
        stopReason: "toolUse",
        usage: { input: 0, cost: { total: 0 } },
      },
      toolResults: [
        { role: "toolResult", toolCallId: "a", isError: true, content: [{ text: "nothing to count" }] },
        { role: "toolResult", toolCallId: "b", isError: false, content: [{ text: "done" }] },
      ],
    })
  })

  it("are those of an agent loop, whose last one ends with the agent", async () => {
    const { executor, customTools, heard } = await listenWith(all)
    const loop = new AgentLoop(executor)
    for (const again of [1, 2]) {
      await customTools.emit({ type: "agent_start" })
      loop.nextTurn()
      await loop.run(call(`c${again}`, 1), {})
      loop.nextTurn()
      await customTools.emit({ type: "agent_end", messages: [] })
    }
    const once = [
      "turn_start",
      0,
      "tool_execution_end",
      "turn_end",
      0,
      "turn_start",
      1,
      "turn_end",
      1,
      "agent_end",
    ]
    const shown = heard.flatMap(({ type, turnIndex }) =>
      turnIndex === undefined ? [type] : [type, turnIndex],
    )
    expect(shown).toEqual([...once, ...once])
    expect(heard[4]).toMatchObject({ message: { content: [], stopReason: "stop" }, toolResults: [] })
  })

  it("are told by a host that emits them itself", async () => {
    const { executor, customTools, heard } = await listenWith(all)
    for (const turnIndex of [7, 8]) {
      await customTools.emit({ type: "turn_start", turnIndex, timestamp: 0 })
      await executor.agent("main").runTurn([])
      await customTools.emit({ type: "turn_end", turnIndex, message: {}, toolResults: [] })
    }
    await customTools.emit({ type: "agent_end", messages: [] })
    expect(heard.map(({ turnIndex }) => turnIndex)).toEqual([7, 7, 8, 8, undefined])
  })
})
