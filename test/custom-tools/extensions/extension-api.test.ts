// @module-tag waits
import { describe, expect, it } from "vitest"
import type { CustomToolHost } from "../../../src/custom-tools/index.ts"
import { defaultSession } from "../../../src/custom-tools/memory-session.ts"
import { loadSources, toolSource } from "./load-sources.ts"

describe("actions", () => {
  const actions = `
    pi.sendMessage({ content: "m" }, { triggerTurn: true })
    pi.setSessionName("s")
    pi.setLabel("e", "l")
    pi.setThinkingLevel("high")
    return void pi.appendEntry("answers", [await pi.setModel("m"), pi.getThinkingLevel(), pi.getSessionName()])`

  it("go to the host", async () => {
    const told: Array<ReadonlyArray<unknown>> = []
    const tell =
      (name: string) =>
      (...args: ReadonlyArray<unknown>) => {
        told.push([name, ...args])
      }
    const { entries, errors } = await loadSources([`pi.sendUserMessage("u"); ${actions}`], {
      sendMessage: tell("sendMessage"),
      sendUserMessage: tell("sendUserMessage"),
      setSessionName: tell("setSessionName"),
      setLabel: tell("setLabel"),
      setThinkingLevel: tell("setThinkingLevel"),
      getThinkingLevel: () => "low",
      setModel: async () => true,
    })
    expect(errors).toEqual([])
    expect(told).toEqual([
      ["sendUserMessage", "u", undefined],
      ["sendMessage", { content: "m" }, { triggerTurn: true }],
      ["setSessionName", "s"],
      ["setLabel", "e", "l"],
      ["setThinkingLevel", "high"],
    ])
    expect(entries).toEqual([["answers", [true, "low", undefined]]])
  })

  it("have answers of their own where the host has none", async () => {
    const { entries, errors } = await loadSources([actions])
    expect(errors).toEqual([])
    expect(entries).toEqual([["answers", [false, "off", "s"]]])
  })

  it("keep entries and labels in the session of a host without one", async () => {
    const { runner, host } = await loadSources(
      [
        `pi.appendEntry("todo", { items: ["a"] })
         pi.on("session_start", (_event, ctx) => {
           const [entry] = ctx.sessionManager.getEntries()
           pi.setLabel(entry.id, "bookmark")
           pi.appendEntry("found", [entry.customType, entry.data, ctx.sessionManager.getLabel(entry.id)])
         })`,
      ],
      { appendEntry: undefined } as unknown as CustomToolHost,
    )
    await runner.emit({ reason: "start" })
    const entries = defaultSession(host).getEntries()
    expect(entries.map(({ type, customType, data }) => [type, customType, data])).toEqual([
      ["custom", "todo", { items: ["a"] }],
      ["custom", "found", ["todo", { items: ["a"] }, "bookmark"]],
    ])
  })

  it("that a model would have to answer are a note in the log", async () => {
    const { errors, warnings } = await loadSources([`pi.sendUserMessage("u")`])
    expect(errors).toEqual([])
    expect(warnings).toEqual(["Dropped a message in the user's name: the host has no `sendUserMessage`"])
  })
})

describe("flags", () => {
  const flags = `
    pi.registerFlag("plan", { type: "boolean", default: false })
    pi.registerFlag("name", { type: "string", default: "x" })
    pi.registerFlag("bare", { type: "string" })
    pi.appendEntry("flags", ["plan", "name", "bare", "other"].map((name) => pi.getFlag(name)))`

  it("have the host's values, else their defaults, and only their own extension sees them", async () => {
    const { entries, runner } = await loadSources([flags], { flags: { plan: true, other: "theirs" } })
    expect(entries).toEqual([["flags", [true, "x", undefined, undefined]]])
    expect([...runner.flags.keys()]).toEqual(["plan", "name", "bare"])
  })
})

it("is oh-my-pi's API as well", async () => {
  const { entries, errors, cwd } = await loadSources([
    `const { stdout } = await pi.exec("node", ["-p", "1 + 1"])
     const schema = pi.typebox.Type.Object({})
     pi.appendEntry("api", [pi.cwd, stdout.trim(), schema.type, pi.hasUI, typeof pi.logger.warn, typeof pi.pi.defineTool])`,
  ])
  expect(errors).toEqual([])
  expect(entries).toEqual([["api", [cwd, "2", "object", false, "function", "function"]]])
})

it("refuses to stage a preview outside of a call", async () => {
  const { errors } = await loadSources([`pi.pushPendingAction({ label: "l", apply: () => undefined })`])
  expect(errors[0]?.error).toContain("Pending action store unavailable for custom tools in this runtime.")
})

it("logs providers once, ignores what only a screen could show, and refuses a listener that is none", async () => {
  const { errors, warnings } = await loadSources([
    `pi.registerProvider("one", {}); pi.registerProvider("two", {}); pi.unregisterProvider("one")
     pi.registerShortcut("ctrl+x", { handler() {} }); pi.registerMessageRenderer("note", () => undefined)
     pi.registerEntryRenderer("e", () => undefined); pi.registerToolRenderer(() => undefined)
     pi.registerMarkdownTransformer({}); pi.registerAssistantThinkingRenderer(() => undefined)
     pi.registerVirtualModel({}); pi.unregisterVirtualModel("p", "m")`,
    `pi.on("tool_call", undefined)`,
  ])
  expect(warnings).toEqual(["Ignored the model provider one: stepline runs no models"])
  expect(errors.map(({ error }) => error)).toEqual([
    expect.stringContaining("Expected the listener of `tool_call` to be a function, got `undefined`"),
  ])
})

it("notes once what is registered by a name that it does not know, which costs no other tool", async () => {
  const { errors, warnings, tools } = await loadSources([
    `pi.registerHologram("a"); pi.registerHologram("b"); pi.unregisterHologram("a"); pi.registerTool(${toolSource("t")})`,
  ])
  expect(errors).toEqual([])
  expect(tools.map(({ tool }) => tool.name)).toEqual(["t"])
  expect(warnings).toEqual([
    "Ignored pi.registerHologram(): stepline does not know it",
    "Ignored pi.unregisterHologram(): stepline does not know it",
  ])
})

it("ends a listening that is no longer wanted", async () => {
  const { runner, entries } = await loadSources([
    `const end = pi.on("turn_start", () => { pi.appendEntry("heard"); end() })`,
  ])
  const event = { type: "turn_start" }
  await runner.emit(event)
  await runner.emit(event)
  expect(entries).toEqual([["heard", undefined]])
})

it("gives a copy of the host's settings", async () => {
  const settings = { theme: { name: "dark" } }
  const { entries } = await loadSources(
    [`const s = pi.getSettings(); s.theme.name = "own"; pi.appendEntry("settings", [s, pi.getSettings()])`],
    { settings },
  )
  expect(entries).toEqual([["settings", [{ theme: { name: "own" } }, settings]]])
  const bare = await loadSources([`pi.appendEntry("settings", pi.getSettings())`])
  expect(bare.entries).toEqual([["settings", {}]])
})

describe("MCP servers", () => {
  it("are kept for who connects them, each under the extension that registered it", async () => {
    const { runner, entries, errors, cwd } = await loadSources([
      `pi.registerMcpServer("jira", { url: "https://old.example" })
       pi.registerMcpServer("files", { command: "mcp-files", args: ["."] })
       pi.registerMcpServer("jira", { url: "https://mcp.example" })`,
      `pi.unregisterMcpServer("files"); pi.appendEntry("names", pi.getMcpServers().map(({ name }) => name))`,
    ])
    expect(errors).toEqual([])
    expect(entries).toEqual([["names", ["jira", "files"]]])
    const extensionPath = `${cwd}/extension-0.mjs`
    expect(runner.mcpServers.list()).toEqual([
      { name: "jira", config: { url: "https://mcp.example" }, extensionPath },
      { name: "files", config: { command: "mcp-files", args: ["."] }, extensionPath },
    ])
  })

  it("go with an extension that fails, and when their own extension says so", async () => {
    const { runner } = await loadSources([
      `pi.registerMcpServer("a", { command: "a" }); throw new Error("no")`,
      `pi.registerMcpServer("b", { command: "b" }); pi.unregisterMcpServer("b")`,
    ])
    expect(runner.mcpServers.list()).toEqual([])
  })

  it.each([
    [`pi.registerMcpServer("x", {})`, "Expected an MCP server to have a name, and a `command` or a `url`"],
    [
      `pi.registerMcpServer("", { command: "x" })`,
      "Expected an MCP server to have a name, and a `command` or a `url`",
    ],
    [
      `pi.registerMcpServer("taken", { command: "x" })`,
      /^Failed to load tool: MCP server "taken" is already registered by .*extension-0\.mjs$/,
    ],
  ])("are refused where they cannot be meant: %s", async (source, sentence) => {
    const { errors } = await loadSources([`pi.registerMcpServer("taken", { url: "u" })`, source])
    expect(errors).toHaveLength(1)
    expect(errors[0]!.error).toMatch(sentence)
  })
})
