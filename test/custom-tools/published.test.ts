// @module-tag waits
/** The examples that the two agents' packages ship, as they are: loaded, and run where this machine has what they need. */

import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, symlink } from "node:fs/promises"
import { join, relative } from "node:path"
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { CustomTools, loadExtensions, type ToolPath } from "../../src/custom-tools/index.ts"
import { ToolExecutor, ToolRegistry } from "../../src/index.ts"
import { isLeftOut } from "../support/needs.ts"
import { ExampleAgent } from "./published/example-agent.ts"
import type { Start } from "./published/example-run.ts"
import { newOmpRuns, ompRuns } from "./published/omp-examples.ts"
import { newPiRuns, piRuns } from "./published/pi-examples.ts"
import { publishedPackage } from "./published/published-package.ts"
import { useSampleRepository } from "./published/sample-repository.ts"

// Each example is loaded several times, and compiled to the same each time.
vi.mock("../../src/custom-tools/loading/compile-module.ts", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../src/custom-tools/loading/compile-module.ts")>()
  const compiled = new Map<string, ReturnType<typeof original.compileModule>>()
  const compileModule = (path: string, source: () => string) => {
    const known = compiled.get(path) ?? original.compileModule(path, source)
    compiled.set(path, known)
    return known
  }
  return { ...original, compileModule }
})

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }
const loading = { standIns: "always", host: { logger: silent, approval: false } } as const

/** The examples in some folders of a package: `folder/name` to the file. */
const examplesIn = async (root: string, folders: ReadonlyArray<string>): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  for (const folder of folders.filter((each) => existsSync(join(root, each)))) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = join(root, folder, entry.name, entry.isDirectory() ? "index.ts" : "")
      const name = entry.name.replace(/\.ts$/, "")
      if (entry.isDirectory() ? existsSync(path) : name !== entry.name) found.set(`${folder}/${name}`, path)
    }
  }
  return found
}

const published = [
  ["@mariozechner/pi-coding-agent", "0.73.1"],
  ["@earendil-works/pi-coding-agent", "1.5.2"],
  ["@oh-my-pi/pi-coding-agent", "13.19.0"],
  ["@oh-my-pi/pi-coding-agent", "18.3.4"],
] as const
// Without git nothing is done with them.
const wanted = isLeftOut("git") ? [] : published
const folders = await Promise.all(wanted.map(([name, version]) => publishedPackage(name, version)))
const [piFolder, newPiFolder, ompFolder, newOmpFolder] = folders
const areThere = published.every((_, index) => folders[index] !== undefined)
const notTried = "not tried: the examples of other agents' packages (npm could not fetch them)"
const describeWithPackages = (name: string, tests: () => void): void => {
  describe(name, areThere ? tests : () => it("are left out", ({ skip }) => skip(notTried)))
}
const piFolders = ["extensions"]
const ompFolders = ["custom-tools", "extensions", "hooks"]
const piExamples = await examplesIn(`${piFolder}/examples`, piFolders)

const repository = useSampleRepository()

const packages = [
  {
    name: "pi 0.73",
    examples: piExamples,
    argumentOrder: "current",
    /** What examples import that is in no package of an agent. */
    missing: new Map([
      ["extensions/custom-provider-anthropic", "@anthropic-ai/sdk"],
      ["extensions/sandbox", "@anthropic-ai/sandbox-runtime"],
      ["extensions/with-deps", "ms"],
    ]),
    runs: piRuns,
  },
  {
    name: "pi 1.5",
    examples: await examplesIn(`${newPiFolder}/examples`, piFolders),
    argumentOrder: "current",
    missing: new Map([
      ["extensions/custom-provider-anthropic", "@anthropic-ai/sdk"],
      ["extensions/gondolin", "@earendil-works/gondolin"],
      ["extensions/with-deps", "ms"],
    ]),
    runs: newPiRuns,
  },
  {
    name: "oh-my-pi 13",
    examples: await examplesIn(`${ompFolder}/examples`, ompFolders),
    // Its extensions are written for the pi from before 0.51.
    argumentOrder: "legacy",
    missing: new Map([
      ["extensions/chalk-logger", "chalk"],
      ["extensions/with-deps", "ms"],
    ]),
    runs: ompRuns,
  },
  {
    name: "oh-my-pi 18",
    examples: await examplesIn(`${newOmpFolder}/examples`, ompFolders),
    argumentOrder: "legacy",
    missing: new Map([["extensions/with-deps", "ms"]]),
    runs: newOmpRuns,
  },
] as const

/** What became of an example that has tools. */
interface Row {
  readonly example: string
  readonly loaded: ReadonlyArray<string>
  /** Why it is not executed. */
  readonly why: string | undefined
}

const table = (name: string, rows: ReadonlyArray<Row>, executed: ReadonlyMap<string, string>): string => {
  const line = (...[file, loaded, end]: readonly [string, string, string]) =>
    `  ${file.padEnd(34)}${loaded.padEnd(42)}${end}`
  const lines = rows.map(({ example, loaded, why = "its test failed, or was not run" }) =>
    line(example, loaded.join(", ") || "-", executed.get(example) ?? `- (${why})`),
  )
  return [`The tools of ${name}'s examples:`, line("file", "loaded", "executed"), ...lines].join("\n")
}

for (const { name, examples, argumentOrder, missing, runs } of packages) {
  describeWithPackages(`the examples of ${name}`, () => {
    const rows: Array<Row> = []
    const executed = new Map<string, string>()
    afterAll(() => console.log(table(name, rows, executed)))

    const fileTools = { path: piExamples.get("extensions/minimal-mode")! }

    /** Gives a `start` for one example, and the agents that it has started. */
    const starter = (example: string) => {
      const { cwd, home } = repository()
      const agents: Array<ExampleAgent> = []
      const module: ToolPath = { path: examples.get(example)!, argumentOrder }
      const start: Start = async ({ fileTools: hasFileTools = false, ...options } = {}) => {
        const paths = hasFileTools ? [fileTools, module] : [module]
        const agent = await ExampleAgent.start({ ...options, cwd, home, paths })
        agents.push(agent)
        return agent
      }
      return { start, agents }
    }

    it("load, but for those that import what is not there; all other tools are run or left out for a reason", async () => {
      const { cwd, home } = repository()
      const failures: Array<[string, string]> = []
      for (const [example, path] of examples) {
        const loaded = await loadExtensions([{ path, argumentOrder }], cwd, { ...loading, home })
        failures.push(...loaded.errors.map(({ error }): [string, string] => [example, error]))
        const names = [...loaded.tools, ...loaded.customTools].map(({ tool }) => tool.name)
        // Some register tools only once there is a session, and those that fail register none.
        if (names.length === 0 && !(await readFile(path, "utf8")).includes("registerTool(")) continue
        const specifier = missing.get(example)
        rows.push({
          example,
          loaded: names,
          why: specifier ? `imports ${specifier}` : runs.leftOut.get(example),
        })
      }
      const sentence = (specifier: string, example: string) =>
        `Failed to load tool: Cannot find module "${specifier}", which ${examples.get(example)} imports`
      const failed = [...missing].map(([example, specifier]) => [example, sentence(specifier, example)])
      expect(Object.fromEntries(failures)).toEqual(Object.fromEntries(failed))
      const withTools = rows.map(({ example }) => example).filter((example) => !missing.has(example))
      expect(new Set(withTools)).toEqual(new Set([...Object.keys(runs.tools), ...runs.leftOut.keys()]))
    })

    it.for(Object.keys(runs.tools).filter((example) => !runs.leftOut.has(example)))(
      "%s",
      async (example, test) => {
        const { start, agents } = starter(example)
        await runs.tools[example]!(start, repository(), test)
        const run = new Set(agents.flatMap((agent) => [...agent.executed]))
        expect(new Set(agents.flatMap(({ names }) => names))).toEqual(run)
        executed.set(example, [...run].join(", "))
      },
    )

    it.for(Object.keys(runs.hooks))("%s", async (example, test) => {
      await runs.hooks[example]!(starter(example).start, repository(), test)
    })
  })
}

describeWithPackages("all examples together, linked from the usual places", () => {
  it("are found, and the later of two tools of a name wins", async () => {
    const { cwd, home } = repository()
    for (const [from, to] of [
      [`${ompFolder}/examples/custom-tools`, join(cwd, ".omp/tools")],
      [`${piFolder}/examples/extensions`, join(home, ".pi/agent/extensions")],
    ] as const) {
      await mkdir(join(to, ".."), { recursive: true })
      await symlink(from, to)
    }
    const registry = new ToolRegistry()
    const tools = await CustomTools.load({ ...loading, cwd, home, registry, discovery: "all" })
    const origins = tools.tools.map(({ name, path }) => [name, relative(home, path)])
    const inPi = (name: string) => `.pi/agent/extensions/${name}.ts`
    expect(Object.fromEntries(origins)).toMatchObject({
      hello: inPi("hello"),
      todo: inPi("todo"),
      read: inPi("tool-override"),
      bash: inPi("ssh"),
      grep: inPi("minimal-mode"),
      subagent: inPi("subagent/index"),
    })
    const overrides = tools.tools.filter(({ isOverride }) => isOverride).map(({ name }) => name)
    expect(overrides).toEqual(["hello", "todo"])
    expect(tools.errors.map(({ path }) => relative(home, path))).toEqual([
      inPi("custom-provider-anthropic/index"),
      inPi("sandbox/index"),
      inPi("with-deps/index"),
    ])
    const executor = new ToolExecutor(registry, { cwd })
    onTestFinished(() => executor.shutdown())
    const { content } = await executor.run({ name: "hello", params: { name: "you" } })
    expect(content).toBe("Hello, you!")
  })
})
