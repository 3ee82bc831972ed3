// @module-tag waits
import { createMcpHandler } from "@modelcontextprotocol/server"
import { describe, expect, it, onTestFinished } from "vitest"
import { type McpInput, type McpTaskMode, mcpServer } from "../../../src/hosts/mcp/index.ts"
import { type HandlerContext, pipeline, Step } from "../../../src/index.ts"
import { until } from "../../support/deferred.ts"
import { executorOf, type Plan, toolOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"
import { heldTool } from "../../support/held-tool.ts"
import { rawAnswer, rawClients, rawRequest, tasksExtension } from "./raw-client.ts"

const taker = { elicitation: { form: {} }, extensions: { [tasksExtension]: {} } }

const serve = async (plans: Readonly<Record<string, Plan>>, mode: McpTaskMode = "always") => {
  const executor = executorOf(plans)
  const client = await rawClients(executor, { tasks: () => mode })
  return { executor, client: client(taker), other: client({ elicitation: { form: {} } }) }
}

const text = (value: string) => [{ type: "text", text: value }]

const approval = { action: "accept", content: { decision: "approve" } }

/** Asks two things at once, and says what it was answered. */
const asking = pipeline().andThen(async ({ delegate }: HandlerContext) => {
  const form = (message: string) => ({
    method: "elicitation/create" as const,
    params: { message, requestedSchema: { type: "object" as const, properties: {} } },
  })
  const effect: McpInput = { _tag: "McpInput", requests: { one: form("One?"), two: form("Two?") } }
  const answer = await delegate(effect)
  return Step.Output(JSON.stringify(answer!.structured))
})

describe("a task of an MCP client", () => {
  it("is told at once, can be asked for from then on, and holds its result in the end", async () => {
    const held = heldTool()
    const { client } = await serve({ work: held.plan })
    const { result: created } = await client.call("work")
    expect(created).toMatchObject({
      resultType: "task",
      status: "working",
      taskId: expect.any(String),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      ttlMs: 3_600_000,
      pollIntervalMs: 1_000,
    })
    const { taskId } = created
    expect((await client.request("tasks/get", { taskId })).result).toMatchObject({
      taskId,
      status: "working",
    })
    await until(() => held.running.length === 1)
    held.release(taskId)
    const ended = await client.until(taskId, "completed")
    expect(ended.result).toMatchObject({ content: text(taskId) })
    expect(ended.result).not.toHaveProperty("isError")
  })

  it("that fails is completed, with the failure as its result", async () => {
    const { client } = await serve({ fail: pipeline().andThen(() => Step.Error("The disk is full")) })
    const { taskId } = (await client.call("fail")).result
    const { result } = await client.until(taskId, "completed")
    expect(result).toMatchObject({ isError: true, content: text("The disk is full") })
  })

  it("is cancelled with its cleanup, and so is one that waits for an answer", async () => {
    const closed: Array<string> = []
    const note = () => {
      closed.push("closed")
      return Step.Continue
    }
    const held = heldTool()
    const { client, executor } = await serve({ work: held.plan.finally(note), ask: asking.finally(note) })
    const { taskId } = (await client.call("work")).result
    await until(() => held.running.length === 1)
    expect((await client.request("tasks/cancel", { taskId })).result).not.toHaveProperty("status")
    await client.until(taskId, "cancelled")
    const asks = (await client.call("ask")).result.taskId
    await client.until(asks, "input_required")
    await client.request("tasks/cancel", { taskId: asks })
    await client.until(asks, "cancelled")
    expect(closed).toEqual(["closed", "closed"])
    expect(executor.inspect()).toEqual([])
    // Once more changes nothing.
    expect((await client.request("tasks/cancel", { taskId: asks })).status).toBe(200)
  })

  it("asks by requests of its own, which are answered one by one", async () => {
    const { client } = await serve({ ask: asking })
    const { taskId } = (await client.call("ask")).result
    const { inputRequests } = await client.until(taskId, "input_required")
    const [one, two] = Object.keys(inputRequests)
    expect(inputRequests[one!]).toMatchObject({ method: "elicitation/create", params: { message: "One?" } })
    const answer = (key: string, content: object) =>
      client.request("tasks/update", { taskId, inputResponses: { [key]: { action: "accept", content } } })
    await answer("nobody-asked", {})
    await answer(two!, { n: 2 })
    const rest = await client.until(taskId, "input_required")
    expect(Object.keys(rest.inputRequests)).toEqual([one])
    await answer(one!, { n: 1 })
    const { result } = await client.until(taskId, "completed")
    expect(JSON.parse(result.content[0].text)).toEqual({
      one: { action: "accept", content: { n: 1 } },
      two: { action: "accept", content: { n: 2 } },
    })
  })

  it("is unknown to other clients, where the server's host knows them apart", async () => {
    const held = heldTool()
    const executor = executorOf({ work: held.plan })
    const { build } = mcpServer(executor, { name: "served", version: "1.0.0", tasks: () => "always" })
    const handler = createMcpHandler(build, { legacy: "reject" })
    onTestFinished(() => handler.close())
    let id = 0
    const clientOf =
      (clientId: string) => async (method: string, params: Readonly<Record<string, unknown>>) => {
        const request = rawRequest("http://localhost/mcp", ++id, method, params, taker)
        const authInfo = { token: clientId, clientId, scopes: [] }
        return rawAnswer(await handler.fetch(request, { authInfo }))
      }
    const [owner, other] = [clientOf("owner"), clientOf("other")]
    const { taskId } = (await owner("tools/call", { name: "work", arguments: {} })).result
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      expect((await other(method, { taskId })).error).toEqual({
        code: -32602,
        message: `There is no task "${taskId}": it is over for long, or never was`,
      })
    }
    expect((await owner("tasks/get", { taskId })).result).toMatchObject({ taskId, status: "working" })
    await until(() => held.running.length === 1)
    held.release(taskId)
  })

  it("is begun once its gate is approved; a denial is its call's result", async () => {
    const { plan, log } = gatedTool()
    const { client } = await serve({ write: plan })
    const { result: asks } = await client.call("write")
    expect(asks).toMatchObject({ resultType: "input_required", inputRequests: { approval: {} } })
    expect(asks).not.toHaveProperty("taskId")
    const { requestState } = asks
    const answered = await client.call("write", {}, { requestState, inputResponses: { approval } })
    expect(answered.result).toMatchObject({ resultType: "task" })
    expect(answered.result).not.toHaveProperty("requestState")
    await client.until(answered.result.taskId, "completed")
    expect(log).toEqual(["before", "after", "closed"])
    const again = (await client.call("write")).result
    const denied = await client.call(
      "write",
      {},
      { requestState: again.requestState, inputResponses: { approval: { action: "decline" } } },
    )
    expect(denied.result).toMatchObject({ isError: true, content: text("Denied by user") })
  })

  it("that comes to a gate asks for it, again where the answer is of no use, and under another name", async () => {
    // Unlike one of the pipeline's own, nobody knows of it before the handler has run.
    const plan = asking.andThen(() => Step.AwaitApproval()).andThen(() => Step.Output("ran"))
    const { client } = await serve({ ask: plan })
    const { taskId } = (await client.call("ask")).result
    const answer = async (value: object) => {
      const { inputRequests } = await client.until(taskId, "input_required")
      const keys = Object.keys(inputRequests)
      const inputResponses = Object.fromEntries(keys.map((key) => [key, value]))
      await client.request("tasks/update", { taskId, inputResponses })
      return keys
    }
    await answer({ action: "accept", content: {} })
    const [first] = await answer({ action: "accept", content: { decision: "perhaps" } })
    const [second] = await answer(approval)
    expect(second).not.toBe(first)
    expect((await client.until(taskId, "completed")).result).toMatchObject({ content: text("ran") })
  })

  it("is made of what runs in the background anyway, unless its tool never is one", async () => {
    const note = pipeline().andThen(() => Step.Output("noted"))
    const { client } = await serve({ note }, { after: "1 minute" })
    expect((await client.call("note")).result).toMatchObject({ content: text("noted") })
    const { taskId } = (await client.call("note", { background: true })).result
    expect((await client.until(taskId, "completed")).result).toMatchObject({ content: text("noted") })
    const { client: never } = await serve({ note }, "never")
    const { result } = await never.call("note", { background: true })
    expect(result.content[0].text).toMatch(/^Running in background \(task_id: /)
  })

  it("is made of a call that runs for too long", async () => {
    const held = heldTool()
    const { client } = await serve({ work: held.plan }, { after: "1 millis" })
    const { taskId, resultType } = (await client.call("work")).result
    expect(resultType).toBe("task")
    // What checks its parameters may be loaded for longer than that.
    await until(() => held.running.length === 1)
    held.release(taskId)
    await client.until(taskId, "completed")
  })

  it("is nothing for a client that does not take it, which waits, or is refused", async () => {
    const note = pipeline().andThen(() => Step.Output("noted"))
    const { client, other } = await serve({ note })
    expect((await other.call("note")).result).toMatchObject({ content: text("noted") })
    const { taskId } = (await client.call("note")).result
    const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
    const lacking = { status: 400, error: { code: -32021, data: { requiredCapabilities } } }
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      expect(await other.request(method, { taskId })).toMatchObject(lacking)
    }
    const { other: refused } = await serve({ note }, "required")
    expect(await refused.call("note")).toMatchObject(lacking)
  })

  it("of another name is none, and there is no list of them", async () => {
    const { client } = await serve({})
    expect((await client.request("tasks/get", { taskId: "x" })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('There is no task "x"'),
    })
    for (const method of ["tasks/list", "tasks/result"]) {
      expect((await client.request(method, { taskId: "x" })).error).toMatchObject({ code: -32601 })
    }
  })

  it("that nobody answers in time fails, and says why", async () => {
    const client = (
      await rawClients(executorOf({ ask: asking }), {
        tasks: () => "always",
        answerTimeout: "20 millis",
      })
    )(taker)
    const { taskId } = (await client.call("ask")).result
    const { result } = await client.until(taskId, "completed")
    expect(result).toMatchObject({
      isError: true,
      content: text(
        "Nobody answered the question of this task in time. Call it again if it is still needed.",
      ),
    })
  })

  it("is not made of a tool that may not run in the background", async () => {
    const note = pipeline().andThen(() => Step.Output("noted"))
    const { client } = await serve({ note: toolOf("note", note, { background: false }) })
    expect((await client.call("note")).result).toMatchObject({ content: text("noted") })
  })

  it("is told of in the server's capabilities, unless there are none", async () => {
    const capabilitiesOf = async (options: object) => {
      const client = (await rawClients(executorOf({}), options))(taker)
      return (await client.request("server/discover")).result.capabilities
    }
    expect(await capabilitiesOf({ tasks: () => "always" })).toMatchObject({
      extensions: { [tasksExtension]: {} },
    })
    expect(await capabilitiesOf({})).not.toHaveProperty("extensions")
  })
})
