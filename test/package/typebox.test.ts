// @module-tag waits
/** What custom tools make with TypeBox, and what the package gives them of it, is checked by the one that is installed. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { makeConsumer } from "./consumer.ts"

let consumer: Awaited<ReturnType<typeof makeConsumer>>
beforeAll(async () => {
  consumer = await makeConsumer({ runs: true })
}, 600_000)
afterAll(() => consumer.remove())

const run = async (source: string): Promise<string> => {
  const main = join(consumer.folder, "main.js")
  await writeFile(main, source)
  return (await promisify(execFile)(process.execPath, [main], { cwd: consumer.folder })).stdout
}

it("a list of strings", async () => {
  const source = `
    import { TypeCompiler } from "@sinclair/typebox/compiler"
    import { Value } from "@sinclair/typebox/value"
    import { StringEnum } from "stepline/custom-tools"
    const order = StringEnum(["asc", "desc"])
    const compiled = TypeCompiler.Compile(order)
    console.log(...["asc", "up"].flatMap((value) => [Value.Check(order, value), compiled.Check(value)]))`
  expect(await run(source)).toBe("true true false false\n")
})

/** Loads a tool from where no TypeBox is installed beside it; gives the tools' names and the errors. */
const load = async (tool: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "stepline-tools-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, "tool.ts")
  await writeFile(path, tool)
  return await run(`
    import { ToolRegistry } from "stepline"
    import { CustomTools } from "stepline/custom-tools"
    const registry = new ToolRegistry()
    const options = { cwd: process.cwd(), registry, paths: [${JSON.stringify(path)}], discovery: false }
    const { errors } = await CustomTools.load(options)
    console.log(...registry.definitions().map(({ name }) => name), ...errors.map(({ error }) => error))`)
}

it("a format that a custom tool names", async () => {
  const tool = `
    import { FormatRegistry, Type } from "@sinclair/typebox"
    import { Value } from "@sinclair/typebox/value"
    FormatRegistry.Set("even", (text) => text.length % 2 === 0)
    const even = Type.String({ format: "even" })
    export default () => ({
      name: ["ab", "abc"].map((text) => Value.Check(even, text)).join("_"),
      label: "Even",
      description: "",
      parameters: Type.Object({}),
      execute: async () => ({ content: [] }),
    })`
  expect(await load(tool)).toBe("true_false\n")
})

it("builders of typebox, which is not installed; its checks say what to install", async () => {
  const tool = (name: string) => `
    import { Type } from "typebox"
    import { Value } from "typebox/value"
    import { Compile } from "typebox/compile"
    const parameters = Type.Object({ size: Type.Enum(["s", "m"]) })
    export default () => ({ name: ${name}, description: "", parameters, execute: async () => ({ content: [] }) })`
  expect(await load(tool("'size'"))).toBe("size\n")
  const needs = "needs TypeBox itself; install typebox beside the tool."
  expect(await load(tool("Value.Check(parameters, {})"))).toBe(`Failed to load tool: Value.Check ${needs}\n`)
  expect(await load(tool("Compile(parameters)"))).toBe(`Failed to load tool: Compile() ${needs}\n`)
})
