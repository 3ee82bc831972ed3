import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { type LoadedExtensionTool, loadExtensions, noOpUI } from "../../../src/custom-tools/index.ts"
import { deferred } from "../../support/deferred.ts"
import { loadSources, temporaryFolder, toolSource } from "./load-sources.ts"

const invalid = (index: number) =>
  `Tool factory returned invalid tool at index ${index}: expected object with string name, string description, parameters, and execute function`

const namesOf = (tools: ReadonlyArray<{ readonly tool: { readonly name: string } }>) =>
  tools.map(({ tool }) => tool.name)

const textOf = async ({ tool }: LoadedExtensionTool) => {
  const result = await tool.execute("c", {}, undefined, undefined, undefined as never)
  return result.content[0]
}

it("loads what an extension registers, one after the other", async () => {
  const { tools, errors } = await loadSources([
    `globalThis.loadOrder = ["a"]; await null; pi.registerTool(${toolSource("a")})`,
    `globalThis.loadOrder.push("b"); pi.registerTool(${toolSource("b")})`,
  ])
  expect(errors).toEqual([])
  expect(namesOf(tools)).toEqual(["a", "b"])
  expect(Reflect.get(globalThis, "loadOrder")).toEqual(["a", "b"])
})

it("keeps nothing of an extension that fails, and all of the others", async () => {
  const { tools, errors, runner, entries, cwd } = await loadSources([
    `pi.registerTool(${toolSource("shared", "first")})`,
    `pi.registerTool(${toolSource("shared", "second")})
     pi.registerTool(${toolSource("lost")})
     pi.registerCommand("lost", { handler() {} })
     pi.on("session_start", () => pi.appendEntry("lost"))
     pi.events.on("news", () => pi.appendEntry("lost"))
     throw new Error("broken")`,
    `pi.on("session_start", () => { pi.events.emit("news", 1); pi.appendEntry("kept") })`,
  ])
  expect(errors).toEqual([
    { path: join(cwd, "extension-1.mjs"), error: expect.stringContaining("Failed to load tool: ") },
  ])
  expect(errors[0]?.error).toContain("broken")
  expect(namesOf(tools)).toEqual(["shared"])
  expect(await textOf(tools[0]!)).toEqual({ type: "text", text: "first" })
  expect(runner.commands).toEqual([])
  await runner.emit({ reason: "start" })
  expect(entries).toEqual([["kept", undefined]])
})

it("drops what a factory registers once nobody waits for it any more", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const [isWaiting, goOn, hasGoneOn] = [deferred(), deferred(), deferred()]
  Object.assign(globalThis, { slowFactory: { isWaiting, goOn, hasGoneOn } })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, "slowFactory"))
  const loading = loadSources([
    `const { isWaiting, goOn, hasGoneOn } = globalThis.slowFactory
     pi.registerTool(${toolSource("early")})
     isWaiting.resolve()
     await goOn.promise
     pi.registerTool(${toolSource("late")})
     pi.registerCommand("late", { handler() {} })
     hasGoneOn.resolve()`,
  ])
  await isWaiting.promise
  await vi.advanceTimersByTimeAsync(40_000)
  const { errors, runner } = await loading
  expect(errors).toMatchObject([
    {
      error: expect.stringMatching(
        /did not finish loading within \d+ ms\. Raise `loadTimeout`, or leave the module out\.$/,
      ),
    },
  ])
  goOn.resolve()
  await hasGoneOn.promise
  expect(runner.tools.all()).toEqual([])
  expect(runner.commands).toEqual([])
})

it("refuses a tool that lacks something, and takes the others of the same extension", async () => {
  const { tools, errors } = await loadSources([
    `pi.registerTool({ name: "half", description: "d", parameters: {} })
     pi.registerTool(${toolSource("whole")})
     pi.registerTool(undefined)`,
  ])
  expect(errors.map(({ error }) => error)).toEqual([invalid(0), invalid(2)])
  expect(namesOf(tools)).toEqual(["whole"])
})

it("lets the later of two tools of one name win, in one extension and across them", async () => {
  const { tools, errors } = await loadSources([
    `pi.registerTool(${toolSource("t", "1")}); pi.registerTool(${toolSource("t", "2")})`,
    `pi.registerTool(${toolSource("t", "3")})`,
  ])
  expect(errors).toEqual([])
  expect(await Promise.all(tools.map(textOf))).toEqual([{ type: "text", text: "3" }])
})

it("takes tools that a factory returns for oh-my-pi's", async () => {
  const { tools, customTools, errors, cwd } = await loadSources([
    `return [${toolSource("one")}, { name: "no" }, ${toolSource("two")}]`,
    `return ${toolSource("alone")}`,
    `return "nonsense"`,
  ])
  expect(tools).toEqual([])
  expect(namesOf(customTools)).toEqual(["one", "two", "alone"])
  expect(customTools[2]).toMatchObject({ resolvedPath: join(cwd, "extension-1.mjs") })
  expect(errors.map(({ error }) => error)).toEqual([invalid(1), invalid(0)])
})

it("ignores what a factory returns besides registering", async () => {
  const { errors, customTools } = await loadSources([`return [pi.on("turn_end", () => {})]`, `return 7`])
  expect(customTools).toEqual([])
  expect(errors.map(({ error }) => error)).toEqual([invalid(0)])
})

it("refuses what is no module of an extension, and keeps those before it", async () => {
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, "good.mjs"), `export default (pi) => pi.registerCommand("c", { handler() {} })\n`)
  await writeFile(join(cwd, "named.mjs"), "export const factory = () => undefined\n")
  await writeFile(join(cwd, "tool.md"), "# A tool\n")
  const paths = ["good.mjs", "named.mjs", "missing.mjs", "tool.md"]
  const { errors, runner } = await loadExtensions(paths, cwd)
  expect(errors).toEqual([
    {
      path: "named.mjs",
      resolvedPath: join(cwd, "named.mjs"),
      error: "Tool must export a default function",
    },
    {
      path: "missing.mjs",
      resolvedPath: join(cwd, "missing.mjs"),
      error: expect.stringMatching(/^Failed to load tool: .*missing\.mjs/s),
    },
    {
      path: "tool.md",
      resolvedPath: join(cwd, "tool.md"),
      error: "Declarative tool files (.md, .json) cannot be loaded as executable modules",
    },
  ])
  expect(runner.commands.map(({ name }) => name)).toEqual(["c"])
})

it("survives a factory that ends the process", async () => {
  const { errors, tools } = await loadSources([`process.exit(3)`, `pi.registerTool(${toolSource("t")})`])
  expect(errors.map(({ error }) => error)).toEqual([expect.stringMatching(/^Failed to load tool: .*exit/s)])
  expect(namesOf(tools)).toEqual(["t"])
})

it("loads a file once, by whatever path it comes, and names its source", async () => {
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, "real.mjs"), `export default (pi) => pi.registerTool(${toolSource("t")})\n`)
  await symlink(join(cwd, "real.mjs"), join(cwd, "link.mjs"))
  const source = { provider: "pi", providerName: "Pi", level: "project" } as const
  const { tools } = await loadExtensions([{ path: "./real.mjs", source }, "link.mjs", "~/real.mjs"], cwd, {
    home: cwd,
  })
  expect(tools).toMatchObject([{ path: "./real.mjs", resolvedPath: join(cwd, "real.mjs"), source }])
})

it("expands a folder to the extensions of its manifest", async () => {
  const cwd = await temporaryFolder()
  const folder = join(cwd, "package")
  await mkdir(folder)
  await writeFile(join(folder, "package.json"), JSON.stringify({ pi: { extensions: ["./main.mjs"] } }))
  await writeFile(join(folder, "main.mjs"), `export default (pi) => pi.registerTool(${toolSource("t")})\n`)
  await writeFile(join(folder, "other.mjs"), "throw new Error('not for loading')\n")
  const { tools, errors } = await loadExtensions([folder], cwd)
  expect(errors).toEqual([])
  expect(tools).toMatchObject([{ path: folder, resolvedPath: join(folder, "main.mjs") }])
})

it("gives extensions and their contexts a screen once there is one", async () => {
  const { runner, setUIContext, entries } = await loadSources([
    `pi.on("session_start", (_event, ctx) => pi.appendEntry("ui", [pi.hasUI, pi.ui === ctx.ui, ctx.hasUI]))
     pi.on("turn_end", (_event, ctx) => ctx.ui.notify("seen"))`,
  ])
  await runner.emit({ reason: "start" })
  const seen: Array<string> = []
  setUIContext({ ...noOpUI, notify: (message) => seen.push(message) }, true)
  await runner.emit({ reason: "start" })
  await runner.emit({ type: "turn_end" })
  expect(entries).toEqual([
    ["ui", [false, true, false]],
    ["ui", [true, true, true]],
  ])
  expect(seen).toEqual(["seen"])
})

it("names the file that failed, where the path as it was given does not", async () => {
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, "thrower.ts"), "export default () => { throw new Error('boom') }")
  await writeFile(join(cwd, "half.ts"), "export default (pi) => pi.registerTool({ name: 'half' })")
  const { errors } = await loadExtensions(["thrower.ts", "half.ts"], cwd)
  expect(errors).toEqual([
    { path: "thrower.ts", resolvedPath: join(cwd, "thrower.ts"), error: "Failed to load tool: boom" },
    { path: "half.ts", resolvedPath: join(cwd, "half.ts"), error: invalid(0) },
  ])
})
