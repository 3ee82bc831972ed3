// @module-tag waits
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeServer } from "../../docs/recipes/sse-server.ts"
import { pipeline, Step, type ToolEvent, ToolExecutor } from "../../src/index.ts"
import { registryOf } from "../support/executor-of.ts"

const write = ({ path }: Record<string, unknown>) =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output(`wrote ${path}`))

const listening = async () => {
  const executors: Array<string> = []
  const server = makeServer({
    userOf: ({ headers }) => /^Bearer (anne|bob)$/.exec(headers.authorization ?? "")?.[1],
    makeExecutor: (user) => {
      executors.push(user)
      return new ToolExecutor(registryOf({ write }))
    },
    // A model that writes whatever it is told to.
    converse: async (executor, path, onEvent) => {
      const results = await executor
        .agent()
        .runTurn([{ callId: "a", name: "write", params: { path } }], onEvent)
      return results[0]!.content
    },
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const ask = (user: string, path: string, init: { body?: unknown; text?: string; after?: number } = {}) => {
    const { body, after = 0 } = init
    const text = init.text ?? (body === undefined ? undefined : JSON.stringify(body))
    return fetch(`http://127.0.0.1:${port}${path}`, {
      method: text === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${user}`, "last-event-id": String(after) },
      ...(text !== undefined && { body: text }),
    })
  }
  return { ask, executors }
}

/** Reads events until one has this tag. */
const readTo = async (response: Response, tag: ToolEvent["_tag"]): Promise<Array<ToolEvent>> => {
  const events: Array<ToolEvent> = []
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const data = text.slice(0, end).split("data: ")[1]!
      events.push(JSON.parse(data) as ToolEvent)
      text = text.slice(end + 2)
      if (events.at(-1)!._tag === tag) return events
    }
  }
  throw new Error(`The stream ended without ${tag}`)
}

const tags = (events: ReadonlyArray<ToolEvent>) => events.map(({ _tag }) => _tag)

describe("the server with server-sent events", () => {
  it("lets each user follow and answer his own calls, and nobody else's", async () => {
    const { ask, executors } = await listening()
    const followed = readTo(await ask("anne", "/events"), "Completed")
    const asked = readTo(await ask("anne", "/events"), "AwaitingApproval")
    const answer = ask("anne", "/messages", { body: { text: "x" } })
    expect(tags(await asked)).toEqual(["Started", "AwaitingApproval"])
    const approve = { callId: "a", verdict: "approve", params: { path: "y" } }
    expect((await ask("bob", "/answers", { body: approve })).status).toBe(409)
    expect((await ask("anne", "/answers", { body: approve })).status).toBe(204)
    expect(await (await answer).json()).toEqual({ answer: "wrote y" })
    expect(tags(await followed)).toEqual(["Started", "AwaitingApproval", "Completed"])
    expect((await ask("anne", "/answers", { body: approve })).status).toBe(409)
    expect(executors).toEqual(["anne", "bob"])
  })

  it("tells a reader that comes back what it missed", async () => {
    const { ask } = await listening()
    const asked = readTo(await ask("anne", "/events"), "AwaitingApproval")
    const answer = ask("anne", "/messages", { body: { text: "x" } })
    const { seq } = (await asked).at(-1)!
    await ask("anne", "/answers", { body: { callId: "a", verdict: "deny", reason: "No" } })
    expect(await (await answer).json()).toEqual({ answer: "No" })
    expect(tags(await readTo(await ask("anne", "/events", { after: seq }), "Denied"))).toEqual(["Denied"])
  })

  it("knows nobody without a token, and takes no endless body", async () => {
    const { ask, executors } = await listening()
    expect((await ask("eve", "/events")).status).toBe(401)
    expect(executors).toEqual([])
    const long = { text: "x".repeat(1_100_000) }
    expect((await ask("anne", "/messages", { body: long })).status).toBe(413)
    expect((await ask("anne", "/answers", { text: "{" })).status).toBe(400)
  })
})
