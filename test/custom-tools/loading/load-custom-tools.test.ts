import { symlink } from "node:fs/promises"
import { relative } from "node:path"
import { describe, expect, it } from "vitest"
import {
  discoverAndLoadCustomTools,
  loadCustomTools,
} from "../../../src/custom-tools/loading/load-custom-tools.ts"
import type { LoadOptions } from "../../../src/custom-tools/loading/load-options.ts"
import { ModuleLoader } from "../../../src/custom-tools/loading/module-loader.ts"
import { noOpUI } from "../../../src/custom-tools/ui-context.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { writeFiles } from "./write-files.ts"

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
      { path: "a.ts", error: 'Tool name "read_file" conflicts with existing tool' },
      { path: "b.ts", error: 'Tool name "a" conflicts with existing tool' },
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
      { path: "gone.ts", error: `Failed to load tool: There is no file ${path("gone.ts")}` },
    ])
  })

  it("loads no metadata, and lets none stand in the way of a module", async () => {
    await writeFiles(path(), { "a.md": "", "a.json": "{}", "a.ts": factory("a") })
    const error = "Declarative tool files (.md, .json) cannot be loaded as executable modules"
    expect(await load(["a.md", "a.json", "a.ts"])).toEqual({
      names: ["a"],
      errors: [
        { path: "a.md", error },
        { path: "a.json", error },
      ],
    })
  })

  it("gives all factories one object, which a screen changes", async () => {
    await writeFiles(path(), {
      "a.ts": `export default (pi) => ({ ...${tool("a")}, api: pi })`,
      "b.ts": `export default (pi) => ({ ...${tool("b")}, api: pi })`,
    })
    const { tools, setUIContext } = await loadCustomTools(["a.ts", "b.ts"], path(), [])
    const [a, b] = tools.map((loaded) => Reflect.get(loaded.tool, "api"))
    expect(a).toBe(b)
    expect([a.cwd, a.hasUI, await a.ui.confirm()]).toEqual([path(), false, false])
    setUIContext({ ...noOpUI, confirm: async () => true }, true)
    expect([a.hasUI, await a.ui.confirm()]).toEqual([true, true])
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
    const message = `Failed to load tool: ${path("bad.ts")} did not finish loading within 100 ms`
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
    const { names, errors } = await load(["a.ts", "b.ts", "c.ts", "d.ts"], { loadTimeout: 100 })
    expect([names, errors.length]).toEqual([["d"], 3])
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
