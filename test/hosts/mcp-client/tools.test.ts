import { InMemoryTransport } from "@modelcontextprotocol/client"
import { Type } from "@sinclair/typebox"
import { describe, expect, it, onTestFinished } from "vitest"
import { mcpServer, serveMcpStdio } from "../../../src/hosts/mcp/index.ts"
import { McpTools, type McpToolsOptions } from "../../../src/hosts/mcp-client/index.ts"
import { remoteName } from "../../../src/hosts/mcp-client/remote-name.ts"
import { defineTool, pipeline, Step, type Tool, ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { deferred, turn, until } from "../../support/deferred.ts"

const toolNamed = (name: string, text = name): Tool =>
  defineTool({
    name,
    description: `Says ${text}.`,
    parameters: Type.Object({}),
    compose: () => pipeline().andThen(() => Step.Output(text)),
  })

/** A server of ours with some tools, connected to a registry with others. */
const connect = async (
  remote: Iterable<Tool>,
  local: Iterable<Tool> = [],
  { isGone = () => false, ...options }: Partial<McpToolsOptions> & { isGone?: () => boolean } = {},
) => {
  const theirs = new ToolRegistry(remote)
  const serving = new ToolExecutor(theirs)
  const { build } = mcpServer(serving, { name: "theirs", version: "1.0.0" })
  const registry = new ToolRegistry(local)
  const ends: Array<InMemoryTransport> = []
  const tools = await McpTools.connect({
    name: "theirs",
    registry,
    approval: () => false,
    transport: async () => {
      if (isGone()) throw new Error("nobody listens")
      const [near, far] = InMemoryTransport.createLinkedPair()
      await serveMcpStdio(build, { transport: far })
      ends.push(far)
      return near
    },
    ...options,
  })
  const executor = new ToolExecutor(registry)
  onTestFinished(async () => {
    await executor.shutdown()
    await tools[Symbol.asyncDispose]()
    await serving.shutdown()
  })
  return { theirs, registry, tools, executor, ends }
}

/** The names of a registry, once it has changed. */
const changed = (registry: ToolRegistry): Promise<Array<string>> =>
  new Promise((resolve) => {
    const stop = registry.onChange(() => {
      stop()
      resolve(registry.names)
    })
  })

describe("the tools of an MCP server", () => {
  it("come behind those of the servers before it, also if it announces more of them meanwhile", async () => {
    const before = deferred()
    let lists = 0
    const turns = async () => {
      for (let count = 0; count < 20; count++) await turn()
    }
    const theirs = new ToolRegistry([toolNamed("a")])
    await using serving = new ToolExecutor(theirs)
    const [near, far] = InMemoryTransport.createLinkedPair()
    await serveMcpStdio(mcpServer(serving, { name: "theirs", version: "1.0.0" }).build, { transport: far })
    const { send } = near
    near.send = (message, options) => {
      if ("method" in message && message.method === "tools/list") lists += 1
      return send.call(near, message, options)
    }
    const registry = new ToolRegistry()
    const after = before.promise
    await using tools = new McpTools({ name: "theirs", registry, transport: () => near, after })
    const opening = tools.open()
    await until(() => lists === 1)
    await turns()
    theirs.register(toolNamed("b"))
    // The client asks for the list again, a moment later.
    await until(() => lists === 2)
    await turns()
    registry.register(toolNamed("a"))
    before.resolve()
    await opening
    expect(registry.names).toEqual(["a", "theirs_a", "b"])
  })

  it.each(["legacy", { pin: "2026-07-28" }, "auto"] as const)(
    "follow what the server has, in mode %s",
    async (mode) => {
      const { theirs, registry, executor } = await connect([toolNamed("a")], [], { mode })
      expect(registry.names).toEqual(["a"])
      const more = changed(registry)
      theirs.register(toolNamed("b"))
      expect(await more).toEqual(["a", "b"])
      const other = changed(registry)
      theirs.register(toolNamed("a", "something else"), { replace: true })
      await other
      expect(registry.get("a")?.description).toBe("Says something else.")
      expect(await executor.run({ name: "a" })).toMatchObject({ content: "something else" })
      const fewer = changed(registry)
      theirs.unregister("a")
      expect(await fewer).toEqual(["b"])
    },
  )

  it("get their server's name where theirs is taken", async () => {
    const { registry, executor, tools } = await connect(
      [toolNamed("shell"), toolNamed("a")],
      [toolNamed("shell", "mine")],
    )
    expect(registry.names).toEqual(["shell", "theirs_shell", "a"])
    expect(tools.names).toEqual(["theirs_shell", "a"])
    expect(registry.get("theirs_shell")?.ruleNames).toEqual(["mcp__theirs__shell"])
    expect(await executor.run({ name: "shell" })).toMatchObject({ content: "mine" })
    expect(await executor.run({ name: "theirs_shell" })).toMatchObject({ content: "shell" })
  })

  it("get names that model providers accept", () => {
    const taken = new Set(["a", "s_a", "resolve"])
    const name = (tool: string) => remoteName("s", tool, (each) => taken.has(each))
    expect(name("b.c/d")).toBe("b_c_d")
    expect(name("resolve")).toBe("s_resolve")
    expect(name("a")).toBe("s_a_2")
    expect(name("x".repeat(100))).toHaveLength(64)
    expect(name("")).toBe("s_")
  })

  it("ask by default, and say whose tool it is", async () => {
    const { executor } = await connect([toolNamed("a")], [], { approval: () => true })
    const asked: Array<string | undefined> = []
    const result = await executor.run({ name: "a" }, (event) => {
      if (event._tag !== "AwaitingApproval") return
      asked.push(event.label)
      event.approve()
    })
    expect(result.content).toBe("a")
    expect(asked).toEqual(["a of the MCP server theirs"])
  })

  it("go with their connection's owner, not with the connection", async () => {
    const { registry, tools, executor, ends } = await connect([toolNamed("a")])
    await ends[0]!.close()
    expect(await executor.run({ name: "a" })).toMatchObject({ content: "a" })
    expect(ends).toHaveLength(2)
    await tools[Symbol.asyncDispose]()
    expect(registry.names).toEqual([])
    expect(tools.names).toEqual([])
  })

  it("that cannot be used are told of, and the others stay", async () => {
    const errors: Array<string> = []
    const { registry } = await connect([toolNamed("a"), toolNamed("b")], [], {
      primary: ({ name }) => (name === "a" ? { param: "nothing" } : undefined),
      onError: ({ message }) => void errors.push(message),
    })
    expect(registry.names).toEqual(["b"])
    expect(errors[0]).toMatch(/^The tool a of the MCP server theirs cannot be used: /)
  })

  it("are not there where the server cannot be reached", async () => {
    const registry = new ToolRegistry()
    const transport = () => Promise.reject(new Error("nobody listens"))
    await expect(McpTools.connect({ name: "gone", transport, registry })).rejects.toThrow(
      "The MCP server gone cannot be reached: nobody listens",
    )
  })

  it("end as errors where the server cannot be reached any more", async () => {
    let isGone = false
    const { executor, ends } = await connect([toolNamed("a")], [], { isGone: () => isGone })
    isGone = true
    await ends[0]!.close()
    expect(await executor.run({ name: "a" })).toMatchObject({
      status: "error",
      content: "The MCP server theirs cannot be reached: nobody listens",
    })
    isGone = false
    expect(await executor.run({ name: "a" })).toMatchObject({ content: "a" })
  })
})
