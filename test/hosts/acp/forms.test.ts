// @module-tag waits
/** What an MCP server asks its user during a call, as the client is asked. */
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import type { CreateElicitationRequest } from "@agentclientprotocol/sdk"
import { expect, it } from "vitest"
import { useCli } from "../../cli/built-cli.ts"
import { Agent } from "./editor.ts"

const cli = useCli()
const server = fileURLToPath(new URL("../mcp-client/asking-server.mjs", import.meta.url))
const asking = `asking=${process.execPath} ${server} stdio`
const command = () => [
  process.execPath,
  cli.path,
  "acp",
  "--no-discovery",
  "--mcp",
  asking,
  "--allow",
  "ask=^",
]

it("is a form of the call, if the client shows forms", async () => {
  await using agent = await Agent.start(command(), {
    cwd: tmpdir(),
    capabilities: { elicitation: { form: {} } },
  })
  const asked: Array<CreateElicitationRequest> = []
  const editor = await agent.open(tmpdir(), {
    fill: (request) => {
      asked.push(request)
      return { action: "accept", content: { name: "Anne" } }
    },
  })
  await editor.prompt({ name: "ask", callId: "a" })
  expect(asked).toMatchObject([
    {
      mode: "form",
      message: "The MCP server asking asks: Who is it?",
      toolCallId: "a",
      requestedSchema: { required: ["name"] },
    },
  ])
  expect(editor.textOf("a")).toBe('{"action":"accept","content":{"name":"Anne"}}')
})

it("is not answered otherwise", async () => {
  await using agent = await Agent.start(command(), { cwd: tmpdir() })
  const editor = await agent.open(tmpdir())
  await editor.prompt({ name: "ask", callId: "a" })
  expect(editor.textOf("a")).toContain('{"action":"cancel"}')
})
