import { describe, expect, it } from "vitest"
import { contextOf } from "../../src/custom-tools/contexts.ts"
import type { CurrentCall } from "../../src/custom-tools/current-call.ts"
import { type CustomToolHost, type Logger, MemorySession, noOpUI } from "../../src/custom-tools/index.ts"
import { foreignOwner, runIsolated } from "../../src/custom-tools/loading/isolation.ts"
import { defaultSession } from "../../src/custom-tools/memory-session.ts"
import { ToolExecutor, ToolRegistry } from "../../src/index.ts"

const executor = new ToolExecutor(new ToolRegistry([]))

const callOf = (cancelled: Array<string> = []): CurrentCall => ({
  callId: "c",
  signal: new AbortController().signal,
  agent: {
    agentId: "helper",
    pendingActions: executor.agent("helper").pendingActions,
    definitions: () => executor.agent("helper").definitions(),
    cancel: () => cancelled.push("agent"),
  },
})

describe("the context of a host that gives nothing", () => {
  const host: CustomToolHost = {}

  it("answers as one without a screen, a model or messages", () => {
    const ctx = contextOf(host, callOf(), "/work")
    expect(ctx.ui).toBe(noOpUI)
    expect(ctx.hasUI).toBe(false)
    expect(ctx.cwd).toBe("/work")
    expect(ctx.model).toBeUndefined()
    expect(ctx.hasPendingMessages()).toBe(false)
    expect(ctx.getContextUsage()).toBeUndefined()
    expect(ctx.getSystemPrompt()).toBe("")
    expect([ctx.mode, ctx.scopedModels, ctx.thinkingLevel, ctx.isProjectTrusted()]).toEqual([
      "print",
      [],
      undefined,
      false,
    ])
  })

  it("takes a screen for one with dialogs, unless the host says more", () => {
    expect(contextOf({ hasUI: true }, undefined, "/work").mode).toBe("rpc")
    const host = {
      mode: "tui",
      scopedModels: ["m"],
      getThinkingLevel: () => "high",
      isProjectTrusted: () => true,
    } as const
    const ctx = contextOf(host, undefined, "/work")
    expect([ctx.mode, ctx.scopedModels, ctx.thinkingLevel, ctx.isProjectTrusted()]).toEqual([
      "tui",
      ["m"],
      "high",
      true,
    ])
  })

  it("has a session in memory", () => {
    const ctx = contextOf(host, undefined, "/work")
    expect(ctx.sessionManager).toBe(defaultSession(host))
    expect(ctx.sessionId).toBe(defaultSession(host).getSessionId())
  })

  it("has a registry that knows no model", async () => {
    const registry = contextOf(host, undefined, "/work").modelRegistry as {
      find(provider: string, id: string): unknown
      getAvailable(): unknown
      getApiKey(model: unknown): Promise<unknown>
      getApiKeyAndHeaders(model: unknown): Promise<unknown>
    }
    expect(registry.find("a", "b")).toBeUndefined()
    expect(registry.getAvailable()).toEqual([])
    expect(await registry.getApiKey({})).toBeUndefined()
    expect(await registry.getApiKeyAndHeaders({})).toEqual({ ok: false, error: "This host has no models." })
  })

  it("notes in the log that a tool asked to end the program", () => {
    const warnings: Array<string> = []
    const logger = { warn: (text: string) => void warnings.push(text) } as unknown as Logger
    contextOf({ logger }, undefined, "/work").shutdown()
    expect(warnings).toEqual(["A tool asked to end the program: the host has no `shutdown`"])
  })

  it("throws what is missing where no answer would be true", () => {
    const ctx = contextOf(host, undefined, "/work")
    expect(() => ctx.compact()).toThrow("This host cannot compact its conversation: it has no `compact`.")
  })

  it("tells whoever asked for a compaction", () => {
    const told: Array<unknown> = []
    const onError = (error: Error) => told.push(error.message)
    contextOf(host, undefined, "/work").compact({ onError })
    expect(told).toEqual(["This host cannot compact its conversation: it has no `compact`."])
  })

  it("is idle outside a call, and has no signal there", () => {
    const call = callOf()
    expect(contextOf(host, call, "/").isIdle()).toBe(false)
    expect(contextOf(host, call, "/").signal).toBe(call.signal)
    expect(contextOf(host, undefined, "/").isIdle()).toBe(true)
    expect(contextOf(host, undefined, "/").signal).toBeUndefined()
  })
})

describe("the context of a host that gives all", () => {
  it("answers from it, as it is when asked", () => {
    const sessionManager = new MemorySession()
    const host: CustomToolHost & { model: unknown } = {
      cwd: "/mine",
      ui: { ...noOpUI, getEditorText: () => "draft" },
      hasUI: true,
      sessionManager,
      modelRegistry: { find: () => "m" },
      model: undefined,
      isIdle: () => true,
      hasPendingMessages: () => true,
      getContextUsage: () => ({ tokens: 1, contextWindow: 2, percent: 50 }),
      getSystemPrompt: () => "be brief",
    }
    const ctx = { ...contextOf(host, callOf(), "/work") }
    expect(ctx.ui.getEditorText()).toBe("draft")
    expect(ctx.hasUI).toBe(true)
    expect(ctx.cwd).toBe("/mine")
    expect(ctx.sessionManager).toBe(sessionManager)
    expect(ctx.modelRegistry).toBe(host.modelRegistry)
    expect(ctx.isIdle()).toBe(true)
    expect(ctx.hasPendingMessages()).toBe(true)
    expect(ctx.getContextUsage()).toEqual({ tokens: 1, contextWindow: 2, percent: 50 })
    expect(ctx.getSystemPrompt()).toBe("be brief")
    const live = contextOf(host, undefined, "/work")
    expect(live.hasQueuedMessages()).toBe(true)
    host.model = { id: "m" }
    expect(live.model).toEqual({ id: "m" })
  })

  it("passes shutdown and compact on", () => {
    const told: Array<unknown> = []
    const ctx = contextOf(
      { shutdown: () => told.push("shutdown"), compact: (options) => told.push(options) },
      undefined,
      "/",
    )
    ctx.shutdown()
    ctx.compact({ a: 1 })
    expect(told).toEqual(["shutdown", { a: 1 }])
  })
})

describe("the host's functions, called by foreign code", () => {
  it("run as the host's own", () => {
    const told: Array<string | undefined> = []
    const note = () => told.push(foreignOwner())
    const ui = { ...noOpUI, notify: () => void note() }
    const ctx = contextOf({ ui, shutdown: note, compact: note, onAbort: note }, undefined, "/")
    runIsolated("sample", () => {
      expect(foreignOwner()).toBe("sample")
      ctx.ui.notify("x")
      ctx.shutdown()
      ctx.compact()
      ctx.abort()
    })
    expect(told).toEqual([undefined, undefined, undefined, undefined])
  })
})

describe("abort", () => {
  it("cancels the agent's calls, then tells the host", () => {
    const told: Array<string> = []
    const host = { onAbort: (agentId: string) => told.push(agentId) }
    contextOf(host, callOf(told), "/").abort()
    expect(told).toEqual(["agent", "helper"])
  })

  it("tells the host alone outside a call", () => {
    const told: Array<string> = []
    contextOf({ onAbort: (agentId) => told.push(agentId) }, undefined, "/").abort()
    expect(told).toEqual(["main"])
  })
})
