import { mkdir, symlink, writeFile } from "node:fs/promises"
import { relative } from "node:path"
import { describe, expect, it } from "vitest"
import { discoverCustomTools, discoverExtensions } from "../../../src/custom-tools/loading/discovery.ts"
import { expandExtensionPath, expandToolPath } from "../../../src/custom-tools/loading/tool-folders.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { writeFiles } from "./write-files.ts"

const path = useTempFolder()

const write = (...files: ReadonlyArray<string | readonly [string, unknown]>): Promise<void> =>
  writeFiles(
    path(),
    Object.fromEntries(
      files.map((file) => (typeof file === "string" ? [file, ""] : [file[0], JSON.stringify(file[1])])),
    ),
  )

const shown = (paths: ReadonlyArray<string>): Array<string> => paths.map((found) => relative(path(), found))

const tools = async (): Promise<Array<string>> =>
  (await discoverCustomTools(path("project"), path("home"))).map(
    ({ path: found, source }) => `${source?.provider} ${source?.level} ${relative(path(), found)}`,
  )

const extensions = async (): Promise<Array<string>> =>
  (await discoverExtensions(path("project"), path("home"))).map(
    ({ path: found, source }) => `${source?.provider} ${source?.level} ${relative(path(), found)}`,
  )

describe("discoverCustomTools", () => {
  it("looks in each agent's folders, then in plugins, in this order", async () => {
    await write(
      "project/.codex/tools/f.js",
      "home/.codex/tools/e.ts",
      "project/.claude/tools/d.cjs",
      "home/.claude/tools/c.mjs",
      "home/.omp/agent/tools/b.ts",
      "project/.omp/tools/a.ts",
      ["home/.omp/plugins/node_modules/plug/package.json", { omp: { tools: "tool.ts" } }],
      "home/.omp/plugins/node_modules/plug/tool.ts",
      "cache/plug/tools/g.ts",
      [
        "home/.claude/plugins/installed_plugins.json",
        { version: 2, plugins: { "plug@market": [{ scope: "project", installPath: path("cache/plug") }] } },
      ],
    )
    expect(await tools()).toEqual([
      "native project project/.omp/tools/a.ts",
      "native user home/.omp/agent/tools/b.ts",
      "claude user home/.claude/tools/c.mjs",
      "claude project project/.claude/tools/d.cjs",
      "codex user home/.codex/tools/e.ts",
      "codex project project/.codex/tools/f.js",
      "plugin user home/.omp/plugins/node_modules/plug/tool.ts",
      "claude-plugins project cache/plug/tools/g.ts",
    ])
  })

  it("takes modules alone, by name, and an index.ts of a subfolder in oh-my-pi's folders alone", async () => {
    const inEach = [
      "b.ts",
      "a.mjs",
      "a.md",
      "a.json",
      "a.d.ts",
      ".h.ts",
      "x/index.ts",
      "y/index.js",
      ".z/index.ts",
    ]
    await write(...inEach.flatMap((file) => [`project/.omp/tools/${file}`, `home/.claude/tools/${file}`]))
    expect(await tools()).toEqual([
      "native project project/.omp/tools/a.mjs",
      "native project project/.omp/tools/b.ts",
      "native project project/.omp/tools/x/index.ts",
      "claude user home/.claude/tools/a.mjs",
      "claude user home/.claude/tools/b.ts",
    ])
  })

  it("follows links, and leaves out what is broken, a loop or no folder at all", async () => {
    await write("real/tool.ts", "project/.claude/tools", "real/folder/index.ts")
    await mkdir(path("project/.omp/tools"), { recursive: true })
    await symlink(path("real/tool.ts"), path("project/.omp/tools/linked.ts"))
    await symlink(path("gone.ts"), path("project/.omp/tools/broken.ts"))
    await symlink(path("project/.omp/tools/loop.ts"), path("project/.omp/tools/loop.ts"))
    await symlink(path("real/folder"), path("project/.omp/tools/folder"))
    await symlink(path("project/.omp/tools"), path("project/.omp/tools/above"))
    expect(await tools()).toEqual([
      "native project project/.omp/tools/linked.ts",
      "native project project/.omp/tools/folder/index.ts",
    ])
  })

  it("reads plugins' manifests: several tools, pi's key, scopes, folders", async () => {
    const packages = "home/.omp/plugins/node_modules"
    await write(
      [`${packages}/@scope/several/package.json`, { omp: { tools: ["./b.ts", "a.js", "gone.ts", 5] } }],
      `${packages}/@scope/several/a.js`,
      `${packages}/@scope/several/b.ts`,
      [`${packages}/folders/package.json`, { pi: { tools: ["flat", "indexed"] } }],
      `${packages}/folders/flat/one.ts`,
      `${packages}/folders/flat/two.ts`,
      `${packages}/folders/indexed/index.ts`,
      `${packages}/folders/indexed/part.ts`,
      [`${packages}/none/package.json`, { main: "index.js" }],
      `${packages}/none/index.js`,
      `${packages}/broken/package.json`,
      [`${packages}/odd/package.json`, { omp: [1] }],
    )
    expect(await tools()).toEqual(
      [
        "@scope/several/b.ts",
        "@scope/several/a.js",
        "folders/flat/one.ts",
        "folders/flat/two.ts",
        "folders/indexed/index.ts",
      ].map((file) => `plugin user ${packages}/${file}`),
    )
  })

  it("leaves out plugins that the user or the project disabled", async () => {
    const packages = "home/.omp/plugins/node_modules"
    for (const name of ["one", "two", "@scope/three"]) {
      await write(
        [`${packages}/${name}/package.json`, { omp: { tools: "t.ts" } }],
        `${packages}/${name}/t.ts`,
      )
    }
    await write(
      [
        "home/.omp/plugins/omp-plugins.lock.json",
        { plugins: { one: { enabled: false }, two: { enabled: true } } },
      ],
      ["project/.omp/plugin-overrides.json", { disabled: ["@scope/three"] }],
    )
    expect(await tools()).toEqual([`plugin user ${packages}/two/t.ts`])
    // A project that nobody trusts has no say in what its user's own tools are.
    const own = await discoverCustomTools(path("project"), path("home"), "home")
    expect(own.map((tool) => relative(path(packages), tool.path))).toEqual(["@scope/three/t.ts", "two/t.ts"])
  })

  it("leaves out what the marketplace's registry disables or gets wrong", async () => {
    await write("cache/one/tools/a.ts", "cache/two/tools/b.ts", "cache/three/tools/c.ts", [
      "home/.claude/plugins/installed_plugins.json",
      {
        plugins: {
          "one@market": [{ installPath: path("cache/one"), enabled: false }, { installPath: 5 }, null],
          "two@market": [{ installPath: path("cache/two") }],
          three: [{ installPath: path("cache/three") }],
          "four@market": "nonsense",
        },
      },
    ])
    expect(await tools()).toEqual(["claude-plugins user cache/two/tools/b.ts"])
  })

  it("finds nothing where nothing is", async () => {
    await write("home/.claude/plugins/installed_plugins.json")
    expect(await tools()).toEqual([])
    expect(await extensions()).toEqual([])
  })
})

describe("discoverExtensions", () => {
  it("takes modules, manifests and indexes, of the project and then of the user", async () => {
    await write(
      "project/.pi/extensions/b.ts",
      "project/.pi/extensions/a.js",
      "project/.pi/extensions/c.mjs",
      "project/.pi/extensions/d.d.ts",
      "project/.pi/extensions/index/index.js",
      ["project/.pi/extensions/manifest/package.json", { pi: { extensions: ["src/main.ts", "gone.ts"] } }],
      "project/.pi/extensions/manifest/src/main.ts",
      "project/.pi/extensions/manifest/index.ts",
      "project/.pi/extensions/neither/other.ts",
      "home/.pi/agent/extensions/user.ts",
    )
    expect(await extensions()).toEqual([
      "pi project project/.pi/extensions/a.js",
      "pi project project/.pi/extensions/b.ts",
      "pi project project/.pi/extensions/index/index.js",
      "pi project project/.pi/extensions/manifest/src/main.ts",
      "pi user home/.pi/agent/extensions/user.ts",
    ])
  })
})

describe("a path that somebody names", () => {
  it("stands for itself if it is no folder, there or not", async () => {
    await writeFile(path("a.ts"), "")
    expect(await expandToolPath(path("a.ts"))).toEqual([path("a.ts")])
    expect(await expandExtensionPath(path("gone.ts"))).toEqual([path("gone.ts")])
  })

  it("stands for what the folder's manifest names, else for its index, else for what is in it", async () => {
    await write(
      ["named/package.json", { omp: { tools: "t.ts" }, pi: { extensions: ["e.ts"] } }],
      "named/t.ts",
      "named/e.ts",
      "named/index.ts",
      "indexed/index.mjs",
      "indexed/part.ts",
      "flat/a.mjs",
      "flat/b/index.ts",
      ["itself/package.json", { omp: { tools: "." } }],
      "itself/a.ts",
    )
    expect(shown(await expandToolPath(path("named")))).toEqual(["named/t.ts"])
    expect(shown(await expandExtensionPath(path("named")))).toEqual(["named/e.ts"])
    expect(shown(await expandToolPath(path("indexed")))).toEqual(["indexed/index.mjs"])
    expect(shown(await expandToolPath(path("flat")))).toEqual(["flat/a.mjs", "flat/b/index.ts"])
    expect(shown(await expandExtensionPath(path("flat")))).toEqual(["flat/a.mjs", "flat/b/index.ts"])
    expect(shown(await expandToolPath(path("itself")))).toEqual(["itself/a.ts"])
  })

  it("is an error if the folder has nothing", async () => {
    await mkdir(path("empty"))
    await expect(expandToolPath(path("empty"))).rejects.toThrow(`There are no tools in ${path("empty")}`)
    await expect(expandExtensionPath(path("empty"))).rejects.toThrow(
      `There are no extensions in ${path("empty")}`,
    )
  })
})
