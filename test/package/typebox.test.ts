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
  // Where no TypeBox is installed beside it.
  const folder = await mkdtemp(join(tmpdir(), "stepline-tools-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, "even.ts")
  await writeFile(path, tool)
  const source = `
    import { ToolRegistry } from "stepline"
    import { CustomTools } from "stepline/custom-tools"
    const registry = new ToolRegistry()
    await CustomTools.load({ cwd: process.cwd(), registry, paths: [${JSON.stringify(path)}], discovery: false })
    console.log(registry.definitions().map(({ name }) => name).join())`
  expect(await run(source)).toBe("true_false\n")
})
