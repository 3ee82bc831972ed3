/** Connects to the server of a scenario of MCP's conformance suite, and calls each of its tools once, in an executor. */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { inputOn } from "../../../src/hosts/input-form.ts"
import { McpTools } from "../../../src/hosts/mcp-client/index.ts"
import { type JsonSchema, ToolExecutor, ToolRegistry } from "../../../src/index.ts"

const url = new URL(process.argv.at(-1)!)
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION
const mode = revision === "2026-07-28" ? { pin: revision } : "legacy"

/** Parameters that fit a schema. */
const sampleOf = (schema: JsonSchema): unknown => {
  const { type, properties = {}, enum: values, default: usual } = schema as Record<string, never>
  if (usual !== undefined) return usual
  if (values !== undefined) return values[0]
  if (type === "object") {
    const entries = Object.entries(properties as Record<string, JsonSchema>)
    return Object.fromEntries(
      entries.filter(([name]) => name !== "background").map(([name, of]) => [name, sampleOf(of)]),
    )
  }
  if (type === "number" || type === "integer") return 5
  if (type === "boolean") return true
  return type === "array" ? [] : "text"
}

const registry = new ToolRegistry()
const tools = new McpTools({
  name: "suite",
  registry,
  approval: () => false,
  transport: () => new StreamableHTTPClientTransport(url),
  mode,
  onError: (error) => console.error(error.message),
})
// The user takes every default.
const screen = {
  select: async (_: string, options: ReadonlyArray<string>) => options[0],
  input: async () => "",
}
const executor = new ToolExecutor(registry, { delegates: { McpInput: inputOn(() => screen as never) } })
await tools.open()
/** The tool whose schema one scenario wants back as it was. */
const focal = registry.get("json_schema_2020_12_tool")
/** What the scenario asks for; else, one call of each tool. */
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}").toolCalls as
  | ReadonlyArray<{ readonly name: string; readonly arguments: unknown }>
  | undefined
const calls =
  given?.map((call) => ({ name: call.name, params: call.arguments })) ??
  executor
    .agent()
    .definitions()
    .filter(({ name }) => tools.names.includes(name))
    .map(({ name, parameters }) => ({
      name,
      params: name === "json_schema_echo" ? { schema: focal?.parameters } : sampleOf(parameters),
    }))
for (const call of calls) {
  const { status, content } = await executor.run(call)
  console.log(`${call.name}: ${status} ${content}`)
}
await executor.shutdown()
await tools[Symbol.asyncDispose]()
