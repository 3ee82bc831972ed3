import { describe, expect, it, onTestFinished } from "vitest"
import { CustomTools, noOpUI } from "../../src/custom-tools/index.ts"
import { extension, names, registering, returning, tool, useCustomTools } from "./project-and-home.ts"

const { path, load } = useCustomTools()

describe("what is loaded", () => {
  it("comes from all usual places, then from the given paths, and tells where it is from", async () => {
    const manifest = JSON.stringify({ name: "plug", omp: { tools: "tool.js" } })
    const { tools, executor } = await load(
      {
        "home/.pi/agent/extensions/h.ts": extension(registering("h")),
        "project/.pi/extensions/g.ts": extension(registering("g")),
        "home/.omp/plugins/node_modules/plug/package.json": manifest,
        "home/.omp/plugins/node_modules/plug/tool.js": returning(tool("f")),
        "project/.codex/tools/e.mjs": returning(tool("e")),
        "home/.claude/tools/d.mjs": returning(tool("d")),
        "home/.omp/agent/tools/c.ts": returning(tool("c")),
        "project/.omp/tools/b/index.ts": returning(tool("b")),
        "project/.omp/tools/a.ts": returning(tool("a"), tool("a2")),
        "project/own/returned.ts": returning(tool("x")),
        "home/own/registered.ts": extension(registering("y")),
      },
      { paths: ["own/returned.ts", "~/own/registered.ts"] },
    )
    expect(tools.errors).toEqual([])
    expect(names(executor).slice(2).sort()).toEqual(["a", "a2", "b", "c", "d", "e", "f", "g", "h", "x", "y"])
    const origins = tools.tools.map(({ name, source }) => `${name} ${source?.provider} ${source?.level}`)
    expect(origins).toEqual([
      "a native project",
      "a2 native project",
      "b native project",
      "c native user",
      "d claude user",
      "e codex project",
      "f plugin user",
      "x undefined undefined",
      "g pi project",
      "h pi user",
      "y undefined undefined",
    ])
    expect(tools.tools.at(-1)).toEqual({
      name: "y",
      path: "~/own/registered.ts",
      resolvedPath: path("home/own/registered.ts"),
      isOverride: false,
    })
  })

  it("is loaded once, though it is found and named", async () => {
    const files = { "project/.omp/tools/a.ts": returning(tool("a")) }
    const { tools } = await load(files, { paths: [".omp/tools/a.ts", ".omp/tools"] })
    expect(tools.errors).toEqual([])
    expect(tools.tools.map(({ name }) => name)).toEqual(["a"])
  })

  it("is nothing of the project unless the host says so", async () => {
    const files = {
      "project/.omp/tools/a.ts": "globalThis.projectRan = true",
      "project/.pi/extensions/b.ts": "globalThis.projectRan = true",
      "project/.claude/tools/c.mjs": "globalThis.projectRan = true",
      "project/.codex/tools/d.mjs": "globalThis.projectRan = true",
      "home/.omp/agent/tools/e.ts": returning(tool("e")),
      "home/.pi/agent/extensions/f.ts": extension(registering("f")),
    }
    const { tools } = await load(files, { discovery: undefined })
    expect(tools.tools.map(({ name }) => name)).toEqual(["e", "f"])
    expect(tools.errors).toEqual([])
    expect(globalThis).not.toHaveProperty("projectRan")
  })

  it("is nothing where discovery is no word for it", async () => {
    const loading = load({}, { discovery: true as never })
    await expect(loading).rejects.toThrow(
      new TypeError('Expected `discovery` to be "home", "all" or false, got `true` (boolean)'),
    )
  })

  it("is nothing without a registry", async () => {
    await expect(CustomTools.load({ cwd: path() } as never)).rejects.toThrow(
      new TypeError("Expected `registry` to be a ToolRegistry, got `undefined` (undefined)"),
    )
  })

  it("is only what the paths name, without discovery", async () => {
    const files = { "project/.omp/tools/a.ts": returning(tool("a")), "project/b.ts": returning(tool("b")) }
    const { tools } = await load(files, { discovery: false, paths: ["b.ts"] })
    expect(tools.tools.map(({ name }) => name)).toEqual(["b"])
  })

  it("takes the place of a tool of its name if it is registered, and is refused if it is returned", async () => {
    const { tools, text } = await load({
      "project/.omp/tools/a.ts": returning(tool("read"), tool("a", `return "first"`), tool("b")),
      "project/.omp/tools/b.ts": returning(tool("a", `return "second"`)),
      "project/.pi/extensions/a.ts": extension(
        `${registering("write", `return "audited"`)}; ${registering("b", `return "replaced"`)}`,
      ),
      "project/.pi/extensions/b.ts": extension(registering("b", `return "replaced again"`)),
    })
    expect(await Promise.all(["read", "write", "a", "b"].map((name) => text(name)))).toEqual([
      "built in ",
      "audited",
      "first",
      "replaced again",
    ])
    const conflict = (name: string) => `Tool name "${name}" conflicts with existing tool`
    expect(tools.errors.map(({ path, error }) => [path, error])).toEqual([
      [path("project/.omp/tools/a.ts"), conflict("read")],
      [path("project/.omp/tools/b.ts"), conflict("a")],
    ])
    expect(tools.tools.map(({ name, isOverride }) => [name, isOverride])).toEqual([
      ["a", false],
      ["write", true],
      ["b", true],
    ])
  })

  it("leaves out what no model could be given, and says why", async () => {
    const { tools } = await load({
      "project/.omp/tools/a.ts": returning(tool("no spaces"), tool("b")),
      "project/.pi/extensions/a.ts": extension(`throw new Error("broken")`),
    })
    expect(tools.tools.map(({ name }) => name)).toEqual(["b"])
    expect(tools.errors).toMatchObject([
      { error: "Failed to load tool: broken", source: { provider: "pi" } },
      {
        path: path("project/.omp/tools/a.ts"),
        error: expect.stringMatching(/^Failed to load tool: .*no spaces/),
        source: { provider: "native" },
      },
    ])
  })
})

it("a tool whose schema holds itself is left out, and costs no other", async () => {
  const circular = `(() => { const schema = { type: "object", properties: {} }; schema.properties.self = schema; return schema })()`
  const { tools } = await load(
    { "project/a.ts": returning(`{ ...${tool("a")}, parameters: ${circular} }`, tool("b")) },
    { discovery: false, paths: ["a.ts"] },
  )
  expect(tools.tools.map(({ name }) => name)).toEqual(["b"])
  expect(tools.errors).toEqual([
    {
      path: "a.ts",
      resolvedPath: path("project/a.ts"),
      error:
        "Failed to load tool: Cannot make JSON of the parameters of tool `a`: Converting circular structure to JSON",
    },
  ])
})

describe("hooks of extensions", () => {
  it("bear on all tools of the executor", async () => {
    const { text } = await load({
      "project/.pi/extensions/guard.ts": extension(`
        pi.on("tool_call", (event) => {
          if (event.input.path === "secret") return { block: true, reason: "Not " + event.toolName }
          event.input.path += "!"
        })
        pi.on("tool_result", (event) => ({ content: [...event.content, { type: "text", text: "checked" }] }))`),
    })
    expect(await text("read", { path: "secret" })).toBe("Not read")
    expect(await text("read", { path: "open" })).toBe("built in open!\nchecked")
  })
})

describe("emit", () => {
  it("tells tools and then extensions, each in its own words", async () => {
    const { tools, text } = await load({
      "project/.omp/tools/a.ts": `
        const told = []
        export default () => [${tool("told", "return told.join()", "onSession: (event) => { told.push(event.reason) },")}]`,
      "project/.pi/extensions/b.ts": extension(`
        const told = []
        for (const type of ["session_start", "session_tree", "turn_end"])
          pi.on(type, (event) => { told.push(event.type) })
        ${registering("heard", "return told.join()")}`),
    })
    await tools.emit({ reason: "start" })
    await tools.emit({ type: "session_tree" })
    await tools.emit({ type: "turn_end", turnIndex: 0 })
    await tools.emit({ reason: "shutdown" })
    expect(await text("told")).toBe("start,tree,shutdown")
    expect(await text("heard")).toBe("session_start,session_tree,turn_end")
  })

  it("tells a returned tool nothing once a registered one has its place", async () => {
    const { tools, warnings } = await load({
      "project/.omp/tools/a.ts": returning(tool("a", "", "onSession: () => { throw new Error('told') },")),
      "project/.pi/extensions/b.ts": extension(registering("a")),
    })
    await tools.emit({ reason: "start" })
    expect(warnings).toEqual([])
  })

  it("goes on over listeners that throw, which are logged", async () => {
    const { tools, text, warnings } = await load({
      "project/.omp/tools/a.ts": returning(tool("a", "", "onSession: () => { throw new Error('lost') },")),
      "project/.pi/extensions/b.ts": extension(`pi.on("session_start", () => { throw new Error("torn") })`),
      "project/.pi/extensions/c.ts": extension(`pi.on("session_start", () => { ${registering("late")} })`),
    })
    await tools.emit({ reason: "start" })
    expect(await text("late")).toBe("late")
    expect(warnings).toEqual([
      "onSession of a failed at start: lost",
      "A session_start listener failed: torn",
    ])
  })

  it("lets extensions register tools, also in place of others, for the executor that there is", async () => {
    const { tools, text, executor } = await load({
      "project/.pi/extensions/a.ts": extension(`
        pi.on("session_start", () => { ${registering("late")}; ${registering("read", `return "mine"`)} })`),
    })
    tools.attach(executor)
    expect(names(executor)).toEqual(["read", "write"])
    await tools.emit({ reason: "start" })
    // A second time they take nobody's place but their own.
    await tools.emit({ reason: "start" })
    expect(names(executor)).toEqual(["read", "write", "late"])
    expect([await text("late"), await text("read")]).toEqual(["late", "mine"])
    expect(tools.tools.map(({ name, isOverride }) => [name, isOverride])).toEqual([
      ["late", false],
      ["read", true],
    ])
  })
})

describe("active tools", () => {
  const choosing = extension(`
    pi.registerCommand("only", { handler: async (args) => {
      pi.setActiveTools(args.split(" "))
      globalThis.activeTools = pi.getActiveTools()
    } })`)

  const activeTools = () => Reflect.get(globalThis, "activeTools")

  it("are all of them from the start", async () => {
    const { tools, executor } = await load({ "project/.omp/tools/a.ts": returning(tool("a")) })
    tools.attach(executor)
    expect(names(executor)).toEqual(["read", "write", "a"])
  })

  it("are chosen by extensions", async () => {
    const { tools, executor, text } = await load({ "project/.pi/extensions/a.ts": choosing })
    tools.attach(executor)
    await tools.extensions.runCommand("only", "write nonsense")
    expect([names(executor), activeTools()]).toEqual([["write"], ["write"]])
    expect(await text("read")).toContain('Unknown tool "read"')
  })

  it("may be chosen before there is an executor", async () => {
    const { tools, executor } = await load({ "project/.pi/extensions/a.ts": choosing })
    await tools.extensions.runCommand("only", "read")
    expect(activeTools()).toEqual(["read"])
    tools.attach(executor)
    expect(names(executor)).toEqual(["read"])
  })

  it("take in what is registered after they were chosen", async () => {
    const { tools, executor } = await load({
      "project/.pi/extensions/a.ts": choosing,
      "project/.pi/extensions/b.ts": extension(`pi.on("session_start", () => { ${registering("late")} })`),
    })
    await tools.extensions.runCommand("only", "read")
    tools.attach(executor)
    await tools.emit({ reason: "start" })
    expect(names(executor)).toEqual(["read", "late"])
  })

  it("may be chosen while the extensions load", async () => {
    const { tools, executor } = await load({
      "project/.pi/extensions/a.ts": extension(`pi.setActiveTools(["b", "write"])`),
      "project/.pi/extensions/b.ts": extension(registering("b")),
    })
    tools.attach(executor)
    expect(names(executor)).toEqual(["write", "b"])
  })
})

describe("the folder that all are told", () => {
  const at = "[ctx.cwd, ctx.sessionManager.getCwd()].join()"
  const files = {
    "project/.omp/tools/a.ts": `
      let told
      export default () => [${tool("on_session", "return told", `onSession: (event, ctx) => { told = ${at} },`)}]`,
    "project/.omp/tools/b.ts": returning(tool("custom", `return ${at}`)),
    "project/.pi/extensions/c.ts": extension(`
      let told
      pi.on("session_start", (event, ctx) => { told = ${at} })
      ${registering("listener", "return told")}; ${registering("registered", `return ${at}`)}`),
  }
  const foldersOf = async ({ tools, text }: Awaited<ReturnType<typeof load>>) => {
    await tools.emit({ reason: "start" })
    return Promise.all(["on_session", "custom", "listener", "registered"].map((name) => text(name)))
  }

  it("is the one that they were loaded for", async () => {
    const project = path("project")
    expect(await foldersOf(await load(files))).toEqual(Array(4).fill(`${project},${project}`))
  })

  it("is the host's where that says otherwise", async () => {
    expect(await foldersOf(await load(files, { host: { cwd: "/mine" } }))).toEqual(
      Array(4).fill("/mine,/mine"),
    )
  })
})

describe("setUIContext", () => {
  it("gives a screen to the API objects and contexts of all", async () => {
    const asks = `await ctx.ui.input("?"), ctx.hasUI`
    const { tools, text } = await load({
      "project/.omp/tools/a.ts": returning(
        tool("api", `return JSON.stringify([await api.ui.input("?"), api.hasUI])`),
        tool("ctx", `return JSON.stringify([${asks}])`),
      ),
      "project/.pi/extensions/b.ts": extension(`
        ${registering("pi", `return JSON.stringify([await pi.ui.input("?"), pi.hasUI])`)}
        ${registering("pi_ctx", `return JSON.stringify([${asks}])`)}`),
    })
    const all = () => Promise.all(["api", "ctx", "pi", "pi_ctx"].map((name) => text(name)))
    expect(await all()).toEqual(Array(4).fill("[null,false]"))
    tools.setUIContext({ ...noOpUI, input: async () => "typed" }, true)
    expect(await all()).toEqual(Array(4).fill(`["typed",true]`))
  })
})

describe("a foreign tool named resolve", () => {
  const conflict = 'Tool name "resolve" conflicts with existing tool'

  it("is a conflict, returned or registered, also once there is a session", async () => {
    const files = {
      "project/.omp/tools/a.ts": returning(tool("resolve"), tool("a")),
      "project/.pi/extensions/b.ts": extension(`${registering("resolve")}\n${registering("b")}`),
      "project/.pi/extensions/c.ts": extension(`pi.on("session_start", () => { ${registering("resolve")} })`),
      "project/own/d.ts": returning(tool("resolve")),
    }
    const { tools, warnings } = await load(files, { paths: ["own/d.ts"] })
    await tools.emit({ reason: "start" })
    expect(tools.tools.map(({ name }) => name)).toEqual(["a", "b"])
    expect(tools.errors.map(({ path: file, error }) => [file.replace(path(), ""), error])).toEqual([
      ["/project/.omp/tools/a.ts", conflict],
      ["/project/.pi/extensions/b.ts", conflict],
      ["own/d.ts", conflict],
    ])
    expect(warnings).toEqual([conflict])
  })
})

it("checks parameters as ever after foreign code added to all objects", async () => {
  onTestFinished(() => {
    Reflect.deleteProperty(Object.prototype, "added")
  })
  const files = {
    "project/.omp/tools/a.ts": `Object.prototype.added = {}\n${returning(tool("a"))}`,
    "project/.omp/tools/b.ts": returning(
      `{ ...${tool("b")}, execute: () => { Object.prototype.added = {}; return "b" } }`,
    ),
    "project/.omp/tools/c.ts": returning(tool("c")),
  }
  const { executor } = await load(files, { host: { approval: false } })
  for (const name of ["b", "c", "a"]) {
    expect((await executor.run({ name, params: {} })).status).toBe("complete")
  }
})
