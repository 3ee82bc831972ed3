// @module-tag waits
/** What servers ask their user during a call, as the host of that call is asked. */
import { fileURLToPath } from "node:url"
import { InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { McpServer } from "@modelcontextprotocol/server"
import { describe, expect, it, onTestFinished } from "vitest"
import { mcpServer, serveMcpHttp, serveMcpStdio } from "../../../src/hosts/mcp/index.ts"
import { inputOn, McpTools } from "../../../src/hosts/mcp-client/index.ts"
import {
  type DelegateEvent,
  defineTool,
  pipeline,
  Step,
  type ToolEvent,
  ToolExecutor,
  ToolRegistry,
} from "../../../src/index.ts"
import { deferred } from "../../support/deferred.ts"
import { connect } from "../mcp/connected.ts"
import { SessionTerminal } from "../terminal/session-terminal.ts"
// @ts-expect-error It is a program in JavaScript.
import { createServer as untyped } from "./asking-server.mjs"
import { serverFile, startServer } from "./published.ts"

const createServer = untyped as () => McpServer
const askingServer = fileURLToPath(new URL("asking-server.mjs", import.meta.url))
const startAsking = () => startServer(askingServer, { args: ["stdio"] })

interface Form {
  readonly message: string
  readonly requestedSchema: object
}

/** The form of a question. */
const formOf = ({ effect }: DelegateEvent): Form =>
  (effect as unknown as { requests: { answer: { params: Form } } }).requests.answer.params

type Response = { readonly action: string; readonly content?: unknown }

/** Answers questions, in the order of asking, and collects what was asked. */
const answering = (...responses: ReadonlyArray<Response>) => {
  const asked: Array<string> = []
  const deltas: Array<string> = []
  const onEvent = (event: ToolEvent) => {
    if (event._tag === "Delta") deltas.push(event.content)
    if (event._tag !== "Delegate") return
    const answer = responses[asked.length]
    asked.push(formOf(event).message)
    if (answer === undefined) event.fail("Nobody is there")
    else event.succeed({ structured: { answer } })
  }
  return { asked, deltas, onEvent }
}

const accept = (content: unknown): Response => ({ action: "accept", content })

describe("a question of a server", () => {
  it("goes to the host of its call, and the answer to the server", async () => {
    const { executor } = await startServer(serverFile("everything"))
    const forms: Array<Form> = []
    const { content } = await executor.run({ name: "trigger-elicitation-request" }, (event) => {
      if (event._tag !== "Delegate") return
      forms.push(formOf(event))
      event.succeed({ structured: { answer: accept({ name: "Anne Bo", integer: 7 }) } })
    })
    expect(forms).toMatchObject([
      {
        message: "The MCP server remote asks: Please provide inputs for the following fields:",
        requestedSchema: { required: ["name"], properties: { integer: { minimum: 1, maximum: 100 } } },
      },
    ])
    expect(content).toContain("- Name: Anne Bo")
  })

  it.each([
    [{ action: "decline" }, "User declined"],
    [{ action: "cancel" }, "User cancelled"],
  ])("may be turned down: %o", async (answer, told) => {
    const { executor } = await startServer(serverFile("everything"))
    const { content } = await executor.run({ name: "trigger-elicitation-request" }, answering(answer).onEvent)
    expect(content).toContain(told)
  })

  it("is asked once more where the answer does not fit, and then not answered", async () => {
    const { executor } = await startAsking()
    const corrected = answering(accept({ name: "A" }), accept({ name: "Anne" }))
    expect((await executor.run({ name: "ask" }, corrected.onEvent)).content).toBe(
      '{"action":"accept","content":{"name":"Anne"}}',
    )
    expect(corrected.asked).toEqual([
      "The MCP server remote asks: Who is it?",
      "The answer does not fit: name: must NOT have fewer than 3 characters.\n\nThe MCP server remote asks: Who is it?",
    ])
    const wrong = answering(accept({ name: "A" }), accept("Anne"), accept({ name: "Anne" }))
    expect((await executor.run({ name: "ask" }, wrong.onEvent)).content).toBe('{"action":"cancel"}')
    expect(wrong.asked).toHaveLength(2)
    expect(wrong.deltas).toEqual([
      "A question of the MCP server remote was not answered: the answer did not fit: root: must be an object\n",
    ])
  })

  it("is not answered where nobody can, and the model reads why", async () => {
    const { executor } = await startAsking()
    const { onEvent, deltas } = answering()
    expect((await executor.run({ name: "ask" }, onEvent)).content).toBe('{"action":"cancel"}')
    expect(deltas).toEqual(["A question of the MCP server remote was not answered: Nobody is there\n"])
  })

  it("may come beside another one of the same call, which the host is asked after it", async () => {
    const { executor } = await startAsking()
    const { asked, onEvent } = answering(accept({ name: "Anne" }), accept({ name: "Bert" }))
    const { content } = await executor.run({ name: "ask_twice" }, onEvent)
    expect(JSON.parse(content)).toEqual([accept({ name: "Anne" }), accept({ name: "Bert" })])
    expect(asked).toEqual(["First?", "Second?"].map((message) => `The MCP server remote asks: ${message}`))
  })

  it("ends with its call", async () => {
    const { executor } = await startAsking()
    const asked = deferred<DelegateEvent>()
    const call = executor.run({ name: "ask", callId: "asks" }, (event) => {
      if (event._tag === "Delegate") asked.resolve(event)
    })
    const question = await asked.promise
    executor.cancelCall("asks", "enough")
    expect(await call).toMatchObject({ status: "cancelled", content: "enough" })
    expect(question.succeed({ structured: { answer: accept({ name: "Anne" }) } })).toBe(false)
    expect((await executor.run({ name: "ask" }, answering({ action: "decline" }).onEvent)).content).toBe(
      '{"action":"decline"}',
    )
  })

  it("is refused where it sends the user to a page", async () => {
    const { executor } = await startAsking()
    expect((await executor.run({ name: "ask_page" })).content).toBe(
      '"Client does not support url elicitation."',
    )
  })

  it("is passed on by a server of ours to its own client", async () => {
    const { registry } = await startAsking()
    const { client, asked } = await connect([...registry], {
      answer: () => ({ action: "accept", content: { name: "Anne" } }),
    })
    const { content } = await client.callTool({ name: "ask" })
    expect(asked).toEqual(["The MCP server remote asks: Who is it?"])
    expect(content).toEqual([{ type: "text", text: '{"action":"accept","content":{"name":"Anne"}}' }])
  })

  it.each(["legacy", { pin: "2026-07-28" }] as const)("is asked in mode %s", async (mode) => {
    const asks = defineTool({
      name: "ask",
      description: "Asks.",
      parameters: { type: "object", properties: {} },
      compose: () =>
        pipeline().andThen(async ({ delegate }) => {
          const requestedSchema = { type: "object", properties: { name: { type: "string" } } }
          const params = { mode: "form", message: "Who is it?", requestedSchema }
          const requests = { who: { method: "elicitation/create", params } }
          const { structured } = (await delegate({ _tag: "McpInput", requests }))!
          return Step.Output(JSON.stringify(structured))
        }),
    })
    const serving = new ToolExecutor(new ToolRegistry([asks]))
    const { build } = mcpServer(serving, { name: "theirs", version: "1.0.0" })
    const registry = new ToolRegistry()
    const transport = async () => {
      const [near, far] = InMemoryTransport.createLinkedPair()
      await serveMcpStdio(build, { transport: far })
      return near
    }
    const tools = await McpTools.connect({ name: "theirs", registry, transport, mode, approval: () => false })
    const executor = new ToolExecutor(registry)
    onTestFinished(async () => {
      await executor.shutdown()
      await tools[Symbol.asyncDispose]()
      await serving.shutdown()
    })
    const { asked, onEvent } = answering(accept({ name: "Anne" }))
    const { content } = await executor.run({ name: "ask" }, onEvent)
    expect(asked).toEqual(["The MCP server theirs asks: Who is it?"])
    expect(JSON.parse(content)).toMatchObject({ who: accept({ name: "Anne" }) })
  })

  it("goes over HTTP to the very call that asks, also of another executor", async () => {
    const served = await serveMcpHttp(createServer, { port: 0 })
    onTestFinished(() => served[Symbol.asyncDispose]())
    const registry = new ToolRegistry()
    const transport = () => new StreamableHTTPClientTransport(new URL(served.url))
    const tools = await McpTools.connect({ name: "served", registry, transport, approval: () => false })
    const executors = [new ToolExecutor(registry), new ToolExecutor(registry)] as const
    onTestFinished(async () => {
      await Promise.all(executors.map((executor) => executor.shutdown()))
      await tools[Symbol.asyncDispose]()
    })
    const hanging = deferred<unknown>()
    void executors[1].run({ name: "hang" }, hanging.resolve).catch(() => {})
    const both = deferred<unknown>()
    let open = 0
    const calls = executors.map((executor, index) =>
      executor.run({ name: "ask", agentId: "asks" }, async (event) => {
        if (event._tag !== "Delegate") return
        open += 1
        if (open === 2) both.resolve(undefined)
        await both.promise
        event.succeed({ structured: { answer: accept({ name: `user ${index}` }) } })
      }),
    )
    expect((await Promise.all(calls)).map(({ content }) => JSON.parse(content).content)).toEqual([
      { name: "user 0" },
      { name: "user 1" },
    ])
  })

  it("that could belong to the calls of several executors is not asked", async () => {
    const { executor, registry, errors } = await startAsking()
    const other = new ToolExecutor(registry)
    onTestFinished(() => other.shutdown())
    const started = deferred<unknown>()
    void other.run({ name: "hang" }, started.resolve).catch(() => {})
    await started.promise
    const { asked, onEvent } = answering(accept({ name: "Anne" }))
    expect((await executor.run({ name: "ask" }, onEvent)).content).toBe('{"action":"cancel"}')
    expect(asked).toEqual([])
    expect(errors.map(({ message }) => message)).toEqual([
      "The MCP server remote asked a question that belongs to no call: Who is it?",
    ])
    // The calls of one executor have one host.
    await other.shutdown()
    void executor.run({ name: "hang", agentId: "other" }).catch(() => {})
    expect((await executor.run({ name: "ask" }, onEvent)).content).toContain("Anne")
  })
})

/** A session on a terminal, in which a form was opened. */
const openForm = async () => {
  const { registry } = await startAsking()
  const delegates = { McpInput: inputOn(() => terminal.session.ui) }
  const executor = new ToolExecutor(registry, { delegates })
  const terminal: SessionTerminal = new SessionTerminal({ executor }, { columns: 160, rows: 40 })
  onTestFinished(() => terminal[Symbol.asyncDispose]())
  await terminal.see(/›$/)
  terminal.enter("ask_all {}")
  await terminal.see(/\? The MCP server remote asks: Tell all\.\n› 1\. Answer\n {2}2\. Decline/)
  return terminal
}

describe("a form on a terminal", () => {
  it("asks for each field what fits it", async () => {
    const terminal = await openForm()
    terminal.type("\r")
    await terminal.see(/\? A word\n› string\n/)
    terminal.enter("ab")
    await terminal.see(/\? must NOT have fewer than 3 characters\. A word\n› string\n/)
    terminal.enter("abc")
    await terminal.see(/\? count: how many\n› integer; empty for 5\n/)
    terminal.enter("many")
    await terminal.see(/\? must be integer\. count: how many\n› integer/)
    terminal.enter("")
    await terminal.see(/\? size\n› 1\. small\n/)
    terminal.type("2")
    await terminal.see("› 2. large")
    terminal.type("\r")
    await terminal.see(/\? agrees\n› 1\. yes\n {2}2\. no\n {2}3\. \(leave it out\)/)
    terminal.type("3")
    await terminal.see("› 3. (leave it out)")
    terminal.type("\r")
    await terminal.see(/\? colours\n› some of: red, green; optional\n/)
    terminal.enter("green, red")
    await terminal.see(
      '{"action":"accept","content":{"word":"abc","count":5,"size":"l","colours":["green","red"]}}',
    )
  })

  it.each([
    ["\u001b", "cancel"],
    ["2\r", "decline"],
  ])("is turned down with %j", async (keys, action) => {
    const terminal = await openForm()
    for (const key of keys) {
      terminal.type(key)
      if (key === "2") await terminal.see("› 2. Decline")
    }
    await terminal.see(`{"action":"${action}"}`)
  })

  it("leaves the screen with its call", async () => {
    const terminal = await openForm()
    terminal.control("c")
    await terminal.see("(not answered)")
    await terminal.see(/\n›$/)
  })
})
