import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { CustomTools } from "../../../src/custom-tools/index.ts"
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

/** Runs a call of `counting`; gives what an extension with this code has written to `heard`. */
const heardOf = async (call: Pick<ToolCall, "params">, code: string): Promise<Array<Heard>> => {
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
