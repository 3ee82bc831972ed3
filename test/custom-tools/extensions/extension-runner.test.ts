import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { LoadedExtensionTool, ToolPort } from "../../../src/custom-tools/index.ts"
import type { ToolCall } from "../../../src/index.ts"
import type { CallingAgent } from "../../../src/model/handler.ts"
import { turn, until } from "../../support/deferred.ts"
import { loadSources, toolSource } from "./load-sources.ts"

/** A registry with a tool `read`, and what extensions asked of it. */
const recordingPort = () => {
  const registered: Array<LoadedExtensionTool> = []
  const activated: Array<[string, Array<string>]> = []
  const port: ToolPort = {
    activeTools: (agentId) => [`active of ${agentId}`],
    allTools: () => [{ name: "read", description: "reads", parameters: { type: "object" } }],
    setActiveTools: (agentId, names) => {
      activated.push([agentId, names])
    },
    registerTool: (loaded) => {
      registered.push(loaded)
    },
  }
  return { port, registered, activated }
}

describe("emit", () => {
  it("awaits listeners in the order of their registration", async () => {
    const { runner, entries } = await loadSources([
      `pi.on("turn_end", async ({ turnIndex }) => { await null; pi.appendEntry("a", turnIndex) })
       pi.on("turn_end", () => pi.appendEntry("b"))`,
      `pi.on("turn_end", () => pi.appendEntry("c"))`,
    ])
    await runner.emit({ type: "turn_end", turnIndex: 7 })
    expect(entries).toEqual([
      ["a", 7],
      ["b", undefined],
      ["c", undefined],
    ])
  })

  it("logs what a listener throws and goes on", async () => {
    const { runner, entries, warnings } = await loadSources([
      `pi.on("turn_end", () => { throw new Error("sync") })
       pi.on("turn_end", async () => { throw new Error("async") })
       pi.on("turn_end", () => pi.appendEntry("told"))`,
    ])
    await runner.emit({ type: "turn_end" })
    expect(warnings).toEqual(["A turn_end listener failed: sync", "A turn_end listener failed: async"])
    expect(entries).toEqual([["told", undefined]])
  })

  it("gives up waiting for a listener that does not settle in ten seconds", async () => {
    const { runner, entries, warnings } = await loadSources([
      `pi.on("turn_end", () => { pi.appendEntry("stuck"); return new Promise(() => {}) })
       pi.on("turn_end", () => pi.appendEntry("next"))`,
    ])
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const emitted = runner.emit({ type: "turn_end" })
    await vi.advanceTimersByTimeAsync(9_999)
    expect(entries).toEqual([["stuck", undefined]])
    await vi.advanceTimersByTimeAsync(1)
    await emitted
    expect(entries.map(([type]) => type)).toEqual(["stuck", "next"])
    expect(warnings).toEqual([
      "A turn_end listener failed: it did not settle within 10 s, and is no longer waited for",
    ])
  })

  it("survives a listener that ends the process", async () => {
    const { runner, warnings } = await loadSources([`pi.on("turn_end", () => process.exit(3))`])
    await runner.emit({ type: "turn_end" })
    expect(warnings).toEqual([expect.stringMatching(/^A turn_end listener failed: .*exit/)])
  })

  it("logs what a listener leaves to nobody", async () => {
    const { runner, warnings, cwd } = await loadSources([
      `pi.on("turn_end", () => void Promise.reject(new Error("stray")))
       pi.events.on("channel", () => void Promise.reject(new Error("of the bus")))
       pi.on("turn_start", () => pi.events.emit("channel"))`,
    ])
    await runner.emit({ type: "turn_end" })
    await runner.emit({ type: "turn_start" })
    await until(() => warnings.length === 2)
    const owner = join(cwd, "extension-0.mjs")
    expect(warnings).toEqual([
      `${owner} left a failure to nobody: stray`,
      `${owner} left a failure to nobody: of the bus`,
    ])
  })

  it("tells each extension of a moment once, by the older name where it listens for that", async () => {
    const { runner, entries } = await loadSources([
      `for (const type of ["session_start", "session_switch"])
         pi.on(type, (event) => pi.appendEntry("older", event))`,
      `pi.on("session_start", (event) => pi.appendEntry("newer", event))`,
    ])
    await runner.emit({ reason: "switch", previousSessionFile: "/s" })
    expect(entries).toEqual([
      ["older", { type: "session_switch", reason: "resume", previousSessionFile: "/s" }],
      ["newer", { type: "session_start", reason: "resume", previousSessionFile: "/s" }],
    ])
  })

  it("gives listeners the context of an agent at rest", async () => {
    const { runner, entries, cwd } = await loadSources([
      `pi.on("session_start", (_event, ctx) =>
         pi.appendEntry("ctx", [ctx.cwd, ctx.isIdle(), ctx.signal === undefined, ctx.sessionManager.getEntries()]))`,
    ])
    await runner.emit({ reason: "start" })
    expect(entries).toEqual([["ctx", [cwd, true, true, []]]])
  })
})

describe("hooks", () => {
  it("survive what a listener does once its call is cancelled", async () => {
    const { runner, entries, warnings, cwd } = await loadSources([
      `pi.on("tool_call", (event, ctx) => {
         ctx.signal.addEventListener("abort", () => { pi.appendEntry("aborted"); process.exit(3) })
       })`,
    ])
    const agent = { agentId: "main" } as CallingAgent
    runner.attach({ ...recordingPort().port, callingAgent: () => agent })
    const cancel = new AbortController()
    const call = { callId: "c", agentId: "main", name: "echo", params: {} } as ToolCall
    await runner.hooks.beforeCall?.(call, { signal: cancel.signal })
    // Node 24 itself loses what a tick throws in the turn of the event loop in which a file's promise was settled.
    await turn()
    cancel.abort()
    await until(() => warnings.length > 0)
    expect(entries).toEqual([["aborted", undefined]])
    const owner = join(cwd, "extension-0.mjs")
    expect(warnings).toEqual([
      `${owner} left a failure to nobody: ${owner} called process.exit, which would end the program that runs it`,
    ])
  })
})

describe("tools", () => {
  it("reach the host's registry when they are registered after the loading", async () => {
    const { runner, tools } = await loadSources([
      `pi.on("session_start", () => pi.registerTool(${toolSource("late")}))`,
    ])
    const { port, registered } = recordingPort()
    runner.attach(port)
    await runner.emit({ reason: "start" })
    expect(tools).toEqual([])
    expect(registered.map(({ tool }) => tool.name)).toEqual(["late"])
  })

  it("registered between the loading and the attaching are not lost", async () => {
    const { runner } = await loadSources([
      `pi.registerTool(${toolSource("early")})
       pi.on("session_start", () => pi.registerTool(${toolSource("late")}))`,
    ])
    await runner.emit({ reason: "start" })
    const { port, registered } = recordingPort()
    runner.attach(port)
    expect(registered.map(({ tool }) => tool.name)).toEqual(["late"])
  })

  it("that are invalid, or that the host refuses, are logged when they come late", async () => {
    const { runner, warnings } = await loadSources([
      `pi.on("session_start", () => { pi.registerTool({}); pi.registerTool(${toolSource("refused")}) })`,
    ])
    runner.attach({
      ...recordingPort().port,
      registerTool: () => {
        throw new Error("no such name")
      },
    })
    await runner.emit({ reason: "start" })
    expect(warnings).toEqual([
      expect.stringContaining("invalid tool at index 0"),
      "Failed to load tool: no such name",
    ])
  })

  it("are the registered ones until the host is attached, then the host's", async () => {
    const ask = `pi.appendEntry("tools", [pi.getActiveTools(), pi.getAllTools().map(({ name }) => name)])`
    const { runner, entries } = await loadSources([
      `pi.registerTool(${toolSource("own")}); ${ask}; pi.on("turn_end", () => ${ask})`,
    ])
    runner.attach(recordingPort().port)
    await runner.emit({ type: "turn_end" })
    expect(entries).toEqual([
      ["tools", [["own"], ["own"]]],
      ["tools", [["active of main"], ["read"]]],
    ])
  })

  it("are activated by names that exist, also when that was asked before the host was attached", async () => {
    const { runner, entries } = await loadSources([
      `pi.setActiveTools(["read", "gone"]); pi.appendEntry("active", pi.getActiveTools())
       pi.on("turn_end", () => pi.setActiveTools(["gone", "read"]))`,
    ])
    const { port, activated } = recordingPort()
    runner.attach(port)
    await runner.emit({ type: "turn_end" })
    expect(entries).toEqual([["active", ["read", "gone"]]])
    expect(activated).toEqual([
      ["main", ["read"]],
      ["main", ["read"]],
    ])
  })
})

describe("commands", () => {
  it("run with their arguments and a context that turns session changes down", async () => {
    const { runner, entries, cwd } = await loadSources([
      `pi.registerCommand("hi", {
         description: "greets",
         async handler(args, ctx) {
           await ctx.waitForIdle()
           pi.appendEntry("hi", [args, ctx.cwd, await ctx.newSession(), pi.getCommands()[0].name])
           await ctx.reload()
         },
       })`,
    ])
    expect(runner.commands).toMatchObject([{ name: "hi", description: "greets", source: "extension" }])
    await expect(runner.runCommand("hi", "there")).rejects.toThrow(
      "This host cannot load its extensions anew: start it again",
    )
    expect(entries).toEqual([["hi", ["there", cwd, { cancelled: true }, "hi"]]])
  })

  it("of one name in several extensions are told apart by a number", async () => {
    const command = (text: string) => `pi.registerCommand("go", { handler: () => pi.appendEntry("${text}") })`
    const { runner, entries } = await loadSources([command("first"), command("second")])
    expect(runner.commands.map(({ name }) => name)).toEqual(["go", "go:2"])
    await runner.runCommand("go:2")
    expect(entries).toEqual([["second", undefined]])
  })

  it("that do not exist are refused with those that do", async () => {
    const { runner } = await loadSources([
      `pi.registerCommand("one", { handler() {} }); pi.registerCommand("two", { handler() {} })`,
    ])
    await expect(runner.runCommand("three")).rejects.toThrow(
      'Unknown command "three". Available commands: one, two',
    )
    const { runner: empty } = await loadSources([])
    await expect(empty.runCommand("x")).rejects.toThrow('Unknown command "x". There are no commands.')
  })
})
