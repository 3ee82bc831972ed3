import { describe, expect, it } from "vitest"
import type { AnyCustomTool } from "../../src/custom-tools/custom-tool.ts"
import {
  type CustomToolContext,
  type CustomToolHost,
  fromCustomTool,
  fromPiTool,
  MemorySession,
  type SessionManager,
} from "../../src/custom-tools/index.ts"
import { defaultSession } from "../../src/custom-tools/memory-session.ts"
import { deferred, turn } from "../support/deferred.ts"
import { customTool, eventsOf, executorFor, piTool } from "./tool-runs.ts"

const text = (words: string) => ({ type: "text" as const, text: words })
const messagesOf = (host: CustomToolHost) =>
  defaultSession(host)
    .getBranch()
    .map((entry) => entry.message)

describe("the session of a host without one", () => {
  it("holds the results of its foreign tools, of both runtimes", async () => {
    const host: CustomToolHost = { approval: false }
    await eventsOf(
      fromCustomTool(
        customTool(() => ({ content: [text("a")], details: { n: 1 } })),
        host,
      ),
    )
    await eventsOf(
      fromPiTool(
        piTool(() => ({ content: [text("b")], isError: true })),
        host,
      ),
    )
    const shared = { role: "toolResult", toolCallId: "c", toolName: "sample", timestamp: expect.any(Number) }
    expect(messagesOf(host)).toEqual([
      { ...shared, content: [text("a")], details: { n: 1 }, isError: false },
      { ...shared, content: [text("b")], isError: true },
    ])
    expect(defaultSession(host).getLeafEntry()?.type).toBe("message")
  })

  it("holds what a tool threw", async () => {
    const host: CustomToolHost = { approval: false }
    const execute = () => {
      throw new Error("no")
    }
    await eventsOf(fromCustomTool(customTool(execute), host))
    expect(messagesOf(host)).toMatchObject([{ content: [text("no")], isError: true }])
  })

  it("is how a tool finds its state again, and changes of the state do not reach what hosts were told", async () => {
    const host: CustomToolHost = { approval: false }
    const execute: AnyCustomTool["execute"] = (_id, _params, _onUpdate, ctx: CustomToolContext) => {
      const last = ctx.sessionManager.getBranch().at(-1)?.message as { details: { todos: Array<string> } }
      const todos = last?.details.todos ?? []
      todos.push(`todo ${todos.length}`)
      return { content: [], details: { todos } }
    }
    const tool = fromCustomTool(customTool(execute as () => unknown), host)
    const first = await eventsOf(tool)
    const second = await eventsOf(tool)
    expect(first.at(-1)).toMatchObject({ output: { details: { todos: ["todo 0"] } } })
    expect(second.at(-1)).toMatchObject({ output: { details: { todos: ["todo 0", "todo 1"] } } })
  })

  it("holds nothing of a call that was cancelled", async () => {
    const host: CustomToolHost = { approval: false }
    const begun = deferred()
    const answer = deferred<unknown>()
    const execute = () => {
      begun.resolve()
      return answer.promise
    }
    const executor = executorFor(fromCustomTool(customTool(execute), host))
    executor.enqueue([{ callId: "c", name: "sample" }])
    await begun.promise
    executor.cancelCall("c")
    answer.resolve({ content: [] })
    await turn()
    expect(messagesOf(host)).toEqual([])
  })

  it("may be one in memory that the host keeps", async () => {
    const sessionManager = new MemorySession()
    const host: CustomToolHost = { approval: false, sessionManager }
    await eventsOf(
      fromCustomTool(
        customTool(() => "x"),
        host,
      ),
    )
    expect(sessionManager.getEntries()).toMatchObject([{ message: { toolName: "sample" } }])
  })

  it("is left alone where the host has a session of its own", async () => {
    const kept = new MemorySession()
    const sessionManager: SessionManager = {
      getBranch: (id) => kept.getBranch(id),
      getEntries: () => kept.getEntries(),
      getEntry: (id) => kept.getEntry(id),
      getLeafId: () => kept.getLeafId(),
      getLeafEntry: () => kept.getLeafEntry(),
      getLabel: (id) => kept.getLabel(id),
      getCwd: () => kept.getCwd(),
      getSessionId: () => kept.getSessionId(),
      getSessionFile: () => kept.getSessionFile(),
      getSessionDir: () => kept.getSessionDir(),
      getSessionName: () => kept.getSessionName(),
    }
    const host: CustomToolHost = { approval: false, sessionManager }
    await eventsOf(
      fromCustomTool(
        customTool(() => "x"),
        host,
      ),
    )
    expect(kept.getEntries()).toEqual([])
    expect(defaultSession(host).getEntries()).toEqual([])
  })
})
