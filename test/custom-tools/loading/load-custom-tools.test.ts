import { existsSync } from "node:fs"
import { symlink } from "node:fs/promises"
import { relative } from "node:path"
import { ToolRegistry } from "stepline"
import { describe, expect, it } from "vitest"
import {
  type CustomToolAPI,
  CustomTools,
  discoverAndLoadCustomTools,
  type LoadOptions,
  loadCustomTools,
  loadExtensions,
  ModuleLoader,
  noOpUI,
} from "../../../src/custom-tools/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { writeFiles } from "./write-files.ts"

const advice = "Raise `loadTimeout`, or leave the module out."

const path = useTempFolder()

const tool = (name: string): string =>
  `{ name: "${name}", description: "d", parameters: { type: "object", properties: {} }, execute: () => ({ content: [] }) }`

const factory = (...names: ReadonlyArray<string>): string =>
  `export default () => [${names.map(tool).join(", ")}]`

const load = async (paths: ReadonlyArray<string>, options?: LoadOptions, builtIn: Iterable<string> = []) => {
  const { tools, errors } = await loadCustomTools(paths, path(), builtIn, options)
  return { names: tools.map((loaded) => loaded.tool.name), errors }
}

/** The error of a factory in `bad.ts`. */
const errorOf = async (text: string, options?: LoadOptions): Promise<string | undefined> => {
  await writeFiles(path(), { "bad.ts": text })
  const { names, errors } = await load([path("bad.ts")], options)
  expect([names, errors.map((error) => error.path)]).toEqual([[], [path("bad.ts")]])
  return errors[0]?.error
}

describe("loadCustomTools", () => {
  it("gives tools with the path as it was given and the file that it means", async () => {
    await writeFiles(path(), { "tools/a.ts": factory("a") })
    const source = { provider: "config", providerName: "Config", level: "user" } as const
    const { tools, errors } = await loadCustomTools([{ path: "tools/a.ts", source }], path(), [])
    expect(errors).toEqual([])
    expect(tools).toEqual([
      {
        path: "tools/a.ts",
        resolvedPath: path("tools/a.ts"),
        source,
        tool: expect.objectContaining({ name: "a" }),
      },
    ])
  })

  it("takes one tool, several, or a promise of them", async () => {
    await writeFiles(path(), {
      "one.js": `module.exports = () => (${tool("one")})`,
      "several.mjs": factory("two", "three"),
      "promise.ts": `export default async () => (${tool("four")})`,
    })
    expect(await load(["one.js", "several.mjs", "promise.ts"])).toEqual({
      names: ["one", "two", "three", "four"],
      errors: [],
    })
  })

  it("accepts or rejects each tool of a file on its own", async () => {
    await writeFiles(path(), { "t.ts": `export default () => [${tool("a")}, { name: "b" }, ${tool("c")}]` })
    expect(await load([path("t.ts")])).toEqual({
      names: ["a", "c"],
      errors: [
        {
          path: path("t.ts"),
          error:
            "Tool factory returned invalid tool at index 1: expected object with string name, string description, parameters, and execute function",
        },
      ],
    })
  })

  it("rejects a name that is taken, and loads on", async () => {
    await writeFiles(path(), { "a.ts": factory("read_file", "a"), "b.ts": factory("a", "b") })
    const { names, errors } = await load(["a.ts", "b.ts"], {}, new Set(["read_file"]))
    expect(names).toEqual(["a", "b"])
    expect(errors).toEqual([
      {
        path: "a.ts",
        resolvedPath: path("a.ts"),
        error: 'Tool name "read_file" conflicts with existing tool',
      },
      { path: "b.ts", resolvedPath: path("b.ts"), error: 'Tool name "a" conflicts with existing tool' },
    ])
  })

  it("loads a module once, however it is named", async () => {
    await writeFiles(path(), { "a.ts": factory("a") })
    await symlink(path("a.ts"), path("link.ts"))
    expect(await load(["a.ts", path("a.ts"), "./link.ts"])).toEqual({ names: ["a"], errors: [] })
  })

  it("loads the tools of a folder, each named by itself", async () => {
    await writeFiles(path(), {
      "tools/a.ts": factory("a"),
      "tools/b.ts": "export default 5",
      "tools/c.ts": factory("c"),
    })
    expect(await load(["tools"])).toEqual({
      names: ["a", "c"],
      errors: [{ path: path("tools/b.ts"), error: "Tool must export a default function" }],
    })
  })

  it("tells of a folder without tools and of a file that is not there", async () => {
    await writeFiles(path(), { "empty/readme.md": "" })
    expect((await load(["empty", "gone.ts"])).errors).toEqual([
      { path: "empty", error: `Failed to load tool: There are no tools in ${path("empty")}` },
      {
        path: "gone.ts",
        resolvedPath: path("gone.ts"),
        error: `Failed to load tool: There is no file ${path("gone.ts")}`,
      },
    ])
  })

  it("loads no metadata, and lets none stand in the way of a module", async () => {
    await writeFiles(path(), { "a.md": "", "a.json": "{}", "a.ts": factory("a") })
    const error = "Declarative tool files (.md, .json) cannot be loaded as executable modules"
    expect(await load(["a.md", "a.json", "a.ts"])).toEqual({
      names: ["a"],
      errors: [
        { path: "a.md", resolvedPath: path("a.md"), error },
        { path: "a.json", resolvedPath: path("a.json"), error },
      ],
    })
  })

  it("gives all factories one object, which a screen changes", async () => {
    await writeFiles(path(), {
      "a.ts": `export default (pi) => ({ ...${tool("a")}, execute: () => pi })`,
      "b.ts": `export default (pi) => ({ ...${tool("b")}, execute: () => pi })`,
    })
    const { tools, setUIContext } = await loadCustomTools(["a.ts", "b.ts"], path(), [])
    const [a, b] = tools.map(({ tool }) => (tool.execute as unknown as () => CustomToolAPI)())
    expect(a).toBe(b)
    const answers = async () => [a?.cwd, a?.hasUI, await a?.ui.confirm("", "")]
    expect(await answers()).toEqual([path(), false, false])
    setUIContext({ ...noOpUI, confirm: async () => true }, true)
    expect(await answers()).toEqual([path(), true, true])
  })

  it("accepts or rejects a tool that throws when it is read on its own", async () => {
    const thrower = "{ get name() { throw new Error('getter') } }"
    await writeFiles(path(), {
      "t.ts": `export default () => [${tool("a")}, ${thrower}, ${tool("b")}]`,
    })
    const { names, errors } = await load(["t.ts"])
    expect([names, errors.length, errors[0]?.error]).toEqual([
      ["a", "b"],
      1,
      "Tool factory returned invalid tool at index 1: expected object with string name, string description, parameters, and execute function",
    ])
  })

  it("takes a working directory that is relative to the process's", async () => {
    await writeFiles(path(), { ".omp/tools/a.ts": factory("a"), "b.ts": factory("b") })
    const { tools } = await discoverAndLoadCustomTools(["b.ts"], relative(process.cwd(), path()), [], {
      home: path("home"),
      discovery: "all",
    })
    expect(tools.map((loaded) => loaded.resolvedPath)).toEqual([path(".omp/tools/a.ts"), path("b.ts")])
  })

  it("takes an empty path for none, and not for the working directory", async () => {
    await writeFiles(path(), { "a.ts": factory("a") })
    const { tools, errors } = await discoverAndLoadCustomTools([""], path(), [], { home: path("home") })
    expect([tools, errors]).toMatchObject([
      [],
      [{ path: "", error: "Failed to load tool: The path is empty" }],
    ])
  })

  it("shares modules through a loader", async () => {
    await writeFiles(path(), { "a.ts": `export default () => (${tool("a")})` })
    const loader = new ModuleLoader()
    const factoryOf = await loader.load(path("a.ts"))
    await load(["a.ts"], { loader })
    expect(await loader.load(path("a.ts"))).toBe(factoryOf)
  })
})

describe("a bad module costs its own tools only", () => {
  it("where it exports no function", async () => {
    expect(await errorOf("export const factory = () => []")).toBe("Tool must export a default function")
  })

  it.each([
    ["at import", "throw new Error('boom')"],
    ["after an await", "await 1; throw new Error('boom')"],
    ["in its factory", "export default () => { throw new Error('boom') }"],
    ["in its factory, later", "export default async () => { await 1; throw 'boom' }"],
  ])("where it throws %s", async (_when, text) => {
    expect(await errorOf(text)).toBe("Failed to load tool: boom")
  })

  it.each([
    ["its body spins", "while (true) {}"],
    ["its body never settles", "await new Promise(() => undefined)"],
    ["its factory spins", "export default () => { for (;;); }"],
    ["its factory never settles", "export default () => new Promise(() => undefined)"],
  ])("where %s", async (_what, text) => {
    const message = `Failed to load tool: ${path("bad.ts")} did not finish loading within 100 ms. ${advice}`
    expect(await errorOf(text, { loadTimeout: 100 })).toBe(message)
  })

  it.each([
    ["at import", "process.exit(1)"],
    ["in its factory", "export default async () => { await 1; process.exit(1) }"],
  ])("where it ends the process %s", async (_when, text) => {
    expect(await errorOf(text)).toBe(
      `Failed to load tool: ${path("bad.ts")} called process.exit, which would end the program that runs it`,
    )
  })

  it.each(["undefined", "5", "null", "'tool'", "{}"])("where its factory returns %s", async (value) => {
    expect(await errorOf(`export default () => (${value})`)).toBe(
      "Tool factory returned invalid tool at index 0: expected object with string name, string description, parameters, and execute function",
    )
  })

  it("and the next one loads", async () => {
    await writeFiles(path(), {
      "a.ts": "throw new Error('a')",
      "b.ts": "process.abort()",
      "c.ts": "for (;;);",
      "d.ts": factory("d"),
    })
    // As long as `d.ts` may take on a machine that is busy: `c.ts` takes all of it.
    const { names, errors } = await load(["a.ts", "b.ts", "c.ts", "d.ts"], { loadTimeout: 5000 })
    expect([names, errors.length]).toEqual([["d"], 3])
  })
})

it("an error names the file that failed, where the path as it was given does not", async () => {
  await writeFiles(path(), { "home/thrower.ts": "throw new Error('boom')", "home/empty.ts": "" })
  const { errors } = await loadCustomTools(["~/thrower.ts", path("home/empty.ts")], path(), [], {
    home: path("home"),
  })
  expect(errors).toEqual([
    { path: "~/thrower.ts", resolvedPath: path("home/thrower.ts"), error: "Failed to load tool: boom" },
    { path: path("home/empty.ts"), error: "Tool must export a default function" },
  ])
})

describe("paths that no caller can mean", () => {
  const expected = (name: string, got: string) =>
    `Expected \`${name}\` to be an array of strings or of objects with a string \`path\`, got ${got}`

  it.each([
    [null, "`null` (null)"],
    ["tools", "`tools` (string)"],
    [[null], "`null` (null) in it"],
    [["a.ts", 5], "`5` (number) in it"],
    [[{ file: "a.ts" }], "`[object Object]` (object) in it"],
  ])("are refused: %j", async (paths, got) => {
    const given = paths as unknown as ReadonlyArray<string>
    await expect(loadCustomTools(given, path(), [])).rejects.toThrow(new TypeError(expected("paths", got)))
    await expect(discoverAndLoadCustomTools(given, path(), [], { home: path() })).rejects.toThrow(
      new TypeError(expected("configuredPaths", got)),
    )
    await expect(loadExtensions(given, path())).rejects.toThrow(new TypeError(expected("paths", got)))
    const registry = new ToolRegistry()
    await expect(CustomTools.load({ cwd: path(), registry, paths: given, discovery: false })).rejects.toThrow(
      new TypeError(expected("paths", got)),
    )
  })
})

describe("discoverAndLoadCustomTools", () => {
  it("loads what is found before what is configured, with where it comes from", async () => {
    await writeFiles(path(), {
      "project/.omp/tools/a.ts": factory("a"),
      "home/.claude/tools/b.mjs": factory("b", "a"),
      "home/mine/c.ts": factory("c"),
      "project/d.cjs": `module.exports = () => (${tool("d")})`,
    })
    const configured = ["~/mine/c.ts", "d.cjs", ".omp/tools/a.ts"]
    const { tools, errors } = await discoverAndLoadCustomTools(configured, path("project"), [], {
      home: path("home"),
      discovery: "all",
    })
    const shown = tools.map(
      (loaded) => `${loaded.tool.name} ${loaded.source?.providerName} ${relative(path(), loaded.path)}`,
    )
    expect(shown).toEqual([
      "a OMP project/.omp/tools/a.ts",
      "b Claude Code home/.claude/tools/b.mjs",
      "c Config home/mine/c.ts",
      "d Config project/d.cjs",
    ])
    expect(errors).toEqual([
      {
        path: path("home/.claude/tools/b.mjs"),
        error: 'Tool name "a" conflicts with existing tool',
        source: { provider: "claude", providerName: "Claude Code", level: "user" },
      },
    ])
  })

  it("runs nothing of the folder unless it is named, and says what it left out", async () => {
    const places = [".omp/tools/a.ts", ".claude/tools/b.mjs", ".codex/tools/c.js"]
    const hostile = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(path("ran"))}, "")\n`
    await writeFiles(path("project"), Object.fromEntries(places.map((place) => [place, hostile])))
    await writeFiles(path(), { "home/.omp/agent/tools/own.ts": factory("own") })
    const options = { home: path("home") }
    const { tools, errors } = await discoverAndLoadCustomTools([], path("project"), [], options)
    expect(tools.map(({ tool }) => tool.name)).toEqual(["own"])
    expect(errors.map((error) => [relative(path("project"), error.path), error.error])).toEqual(
      places.map((place) => [
        place,
        'It lies in the project, whose code runs only for a host that names it: with `discovery: "all"`, or as a configured path',
      ]),
    )
    const none = await discoverAndLoadCustomTools([], path("project"), [], { ...options, discovery: false })
    expect([none.tools, none.errors]).toEqual([[], []])
    expect(existsSync(path("ran"))).toBe(false)
    await discoverAndLoadCustomTools([places[0]!], path("project"), [], options)
    expect(existsSync(path("ran"))).toBe(true)
  })

  it("tells of a configured path that means nothing", async () => {
    const configured = ["file://elsewhere/tool.ts"]
    const { errors } = await discoverAndLoadCustomTools(configured, path(), [], { home: path("home") })
    expect(errors).toMatchObject([
      {
        path: "file://elsewhere/tool.ts",
        error: expect.stringMatching(/^Failed to load tool: File URL host/),
      },
    ])
  })
})
