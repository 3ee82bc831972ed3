// A result that is too long for a model: it gets the start and the end, and reads on where it wants to.
import { Type } from "@sinclair/typebox"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"

const readLog = defineTool({
  name: "read_log",
  description: "The log of the server.",
  parameters: Type.Object({}),
  annotations: { readOnly: true },
  compose: () =>
    pipeline().andThen(() =>
      Step.Output(Array.from({ length: 2000 }, (_, line) => `${line}: ok\n`).join("")),
    ),
})

await using executor = new ToolExecutor(new ToolRegistry([readLog]), { maxOutputBytes: 200 })
const agent = executor.agent("main")
const toolNames = () => agent.definitions().map(({ name }) => name)

console.log(`Tools: ${toolNames()}`)
const { content, bounded } = await executor.run({ callId: "log", name: "read_log" })
console.log(`The model reads:\n${content}`)
console.log(`The whole has ${bounded?.bytes} bytes.`)

// Once something was cut, the model has a tool to read it with. Nobody has to register it.
console.log(`Tools: ${toolNames()}`)
const params = { call_id: "log", offset: 10_000, limit: 30 }
console.log((await executor.run({ name: "read_result", params })).content)

// Another agent does not see it.
const other = await executor.run({ name: "read_result", params, agentId: "other" })
console.log(`${other.status}: ${other.content}`)
