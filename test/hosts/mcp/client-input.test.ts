import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import type { ClientCapabilities } from "@modelcontextprotocol/server"
import { describe, expect, it, onTestFinished } from "vitest"
import { type McpInput, mcpServer, serveMcpStdio } from "../../../src/hosts/mcp/index.ts"
import { type HandlerContext, pipeline, Step } from "../../../src/index.ts"
import { executorOf } from "../../support/executor-of.ts"
import { type Revision, revisions, textOfResult } from "./connected.ts"

const question: McpInput["requests"][string] = {
  method: "elicitation/create",
  params: {
    message: "Which colour?",
    requestedSchema: { type: "object", properties: { colour: { type: "string" } } },
  },
}
const thought: McpInput["requests"][string] = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }], maxTokens: 10 },
}
const folders: McpInput["requests"][string] = { method: "roots/list", params: {} }

/** A tool that asks its client, a round after the other. */
const asking = (...rounds: ReadonlyArray<McpInput["requests"]>) =>
  pipeline().andThen(async ({ delegate }: HandlerContext) => {
    const answers: Array<unknown> = []
    for (const requests of rounds) {
      const effect: McpInput = { _tag: "McpInput", requests }
      answers.push((await delegate(effect))!.structured)
    }
    return Step.Output(JSON.stringify(answers))
  })

/** A stock client with a user, a model and folders, as far as it declares them. */
const connect = async (
  revision: Revision,
  plan: ReturnType<typeof asking>,
  capabilities: ClientCapabilities = { elicitation: { form: {} }, sampling: {}, roots: {} },
) => {
  const executor = executorOf({ ask: plan })
  const { build } = mcpServer(executor, { name: "served", version: "1.0.0" })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const served = await serveMcpStdio(build, { transport: far })
  const versionNegotiation = { mode: revision === "2026-07-28" ? { pin: revision } : ("legacy" as const) }
  const client = new Client({ name: "stock", version: "1.0.0" }, { capabilities, versionNegotiation })
  onTestFinished(async () => {
    await client.close()
    await served[Symbol.asyncDispose]()
  })
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { colour: "blue" } }))
  }
  if (capabilities.sampling !== undefined) {
    client.setRequestHandler("sampling/createMessage", () => ({
      role: "assistant",
      content: { type: "text", text: "4" },
      model: "a model",
    }))
  }
  if (capabilities.roots !== undefined) {
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///a" }] }))
  }
  await client.connect(near)
  return client
}

const colour = { action: "accept", content: { colour: "blue" } }

describe.each(revisions)("a tool that asks its MCP client, of revision %s", (revision) => {
  it("is answered by its user, its model and its folders, all at once", async () => {
    const client = await connect(revision, asking({ question, thought, folders }))
    const [answers] = JSON.parse(textOfResult(await client.callTool({ name: "ask", arguments: {} })))
    expect(answers).toMatchObject({
      question: colour,
      thought: { content: { text: "4" } },
      folders: { roots: [{ uri: "file:///a" }] },
    })
  })

  it("asks as often as it has questions", async () => {
    const client = await connect(revision, asking({ question }, { folders }))
    const answers = JSON.parse(textOfResult(await client.callTool({ name: "ask", arguments: {} })))
    expect(answers).toMatchObject([{ question: colour }, { folders: { roots: [{ uri: "file:///a" }] } }])
  })

  it("is not answered what its client does not declare", async () => {
    const client = await connect(revision, asking({ question, thought }), { elicitation: { form: {} } })
    const [answers] = JSON.parse(textOfResult(await client.callTool({ name: "ask", arguments: {} })))
    expect(answers).toMatchObject({ question: colour })
    expect(answers).not.toHaveProperty("thought")
  })

  it("fails where its client can answer nothing of it", async () => {
    const client = await connect(revision, asking({ thought }), {})
    const called = client.callTool({ name: "ask", arguments: {} })
    if (revision === "2026-07-28") {
      await expect(called).rejects.toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { sampling: {} } },
      })
    } else {
      expect(await called).toMatchObject({
        isError: true,
        content: [
          {
            text: "This MCP client cannot answer sampling/createMessage: it does not declare that it can",
          },
        ],
      })
    }
  })

  it.each([
    ["null", null],
    ["a text", "roots/list"],
    ["no method", {}],
    ["a method that does not exist", { method: "roots/lists" }],
    ["a form without parameters", { method: "elicitation/create" }],
  ])("fails with a request that is malformed: %s", async (_, request) => {
    const client = await connect(revision, asking({ question, request: request as never }))
    const result = await client.callTool({ name: "ask", arguments: {} })
    expect([result.isError, textOfResult(result)]).toEqual([
      true,
      "Expected each request of `McpInput` to be { method, params } with the method elicitation/create, sampling/createMessage or roots/list: `request` is not",
    ])
  })
})
