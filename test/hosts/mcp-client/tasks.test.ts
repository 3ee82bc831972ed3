// @module-tag waits
/** Tools that their server runs as tasks. */
import type { JSONRPCMessage } from "@modelcontextprotocol/client"
import { describe, expect, it } from "vitest"
import { deferred } from "../../support/deferred.ts"
import { type StartedServer, serverFile, startServer } from "./published.ts"

const research = {
  name: "simulate-research-query",
  params: { topic: "python", ambiguous: true },
  callId: "t",
  background: true,
}

/** The server's answer to `tasks/cancel`. `onCall` is told that a tool's call is on its way. */
const cancelled = ({ transports }: StartedServer, onCall: () => void): Promise<unknown> => {
  const answered = deferred<unknown>()
  const transport = transports[0]!
  const { send, onmessage } = transport
  let cancelId: unknown
  transport.send = async (message: JSONRPCMessage) => {
    const { method, id } = message as { readonly method?: string; readonly id?: unknown }
    if (method === "tasks/cancel") cancelId = id
    await send.call(transport, message)
    if (method === "tools/call") onCall()
  }
  transport.onmessage = (message) => {
    if ("result" in message && message.id === cancelId) answered.resolve(message.result)
    onmessage?.(message)
  }
  return answered.promise
}

describe("a tool that its server runs as a task", () => {
  it("is a background task, which tells its status, and asks what the server asks", async () => {
    const { executor } = await startServer(serverFile("everything"))
    const deltas: Array<string> = []
    const started = await executor.run(research, (event) => {
      if (event._tag === "Delta") deltas.push(event.content)
      if (event._tag !== "Delegate") return
      expect(JSON.stringify(event.effect)).not.toContain("_meta")
      event.succeed({ structured: { answer: { action: "accept", content: { interpretation: "snake" } } } })
    })
    expect(started).toMatchObject({ status: "background", taskId: "t" })
    const task = await executor.tasks.wait("t")
    expect(task?.status).toBe("complete")
    expect(task?.content).toMatch(/^# Research Report: python \(snake\)/)
    expect(deltas).toContain("Analyzing content...\n")
  })

  it("is cancelled on the server with its call", async () => {
    const server = await startServer(serverFile("everything"))
    const answer = cancelled(server, () => {})
    await server.executor.run(research, (event) => {
      if (event._tag === "Delta") server.executor.tasks.cancel("t")
    })
    expect(await answer).toMatchObject({ status: "cancelled" })
    expect((await server.executor.tasks.wait("t"))?.status).toBe("cancelled")
  })

  it("is cancelled on the server, too, if its call ends before the server has named the task", async () => {
    const server = await startServer(serverFile("everything"))
    const answer = cancelled(server, () => server.executor.cancelCall("t"))
    await server.executor.run(research, () => {})
    expect(await answer).toMatchObject({ status: "cancelled" })
  })

  it("is waited for in the foreground, too", async () => {
    const { executor } = await startServer(serverFile("everything"))
    const params = { topic: "python" }
    const { status, content } = await executor.run({ name: research.name, params }, () => {})
    expect(status).toBe("complete")
    expect(content).toContain("# Research Report: python")
  })
})
