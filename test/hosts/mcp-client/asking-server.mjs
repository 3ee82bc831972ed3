/** An MCP server, made with the published SDK, whose tools ask their user: over stdio, or, with `createServer`, over anything. */
import { McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"

const form = (message, properties = { name: { type: "string", minLength: 3 } }) => ({
  message,
  requestedSchema: { type: "object", properties, required: Object.keys(properties) },
})

const given = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] })

export const createServer = () => {
  const server = new McpServer({ name: "asking", version: "1.0.0" })
  const tool = (name, run) => server.registerTool(name, { description: name }, run)
  tool("ask", async ({ mcpReq }) =>
    given(await mcpReq.send({ method: "elicitation/create", params: form("Who is it?") })),
  )
  tool("ask_twice", async ({ mcpReq }) => {
    const asked = ["First?", "Second?"].map((message) => mcpReq.elicitInput(form(message)))
    return given(await Promise.all(asked))
  })
  tool("ask_all", async ({ mcpReq }) => {
    const params = form("Tell all.", {
      word: { type: "string", title: "A word", minLength: 3 },
      count: { type: "integer", description: "how many", default: 5 },
      size: {
        type: "string",
        oneOf: [
          { const: "s", title: "small" },
          { const: "l", title: "large" },
        ],
      },
      agrees: { type: "boolean" },
      colours: { type: "array", items: { enum: ["red", "green"], type: "string" }, minItems: 1 },
    })
    params.requestedSchema.required = ["word", "size"]
    return given(await mcpReq.elicitInput(params))
  })
  tool("ask_page", async ({ mcpReq }) => {
    const page = { mode: "url", message: "Sign in", url: "https://example.com", elicitationId: "1" }
    return given(await mcpReq.elicitInput(page).catch(({ message }) => message))
  })
  tool("hang", () => new Promise(() => {}))
  return server
}

if (process.argv[2] === "stdio") await serveStdio(createServer)
