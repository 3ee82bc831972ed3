// @module-tag waits
// @module-tag node
/** Applications that are one file: the package bundled with esbuild, for Node, where no optional peer is installed. */
import { execFile } from "node:child_process"
import { rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { makeConsumer } from "./consumer.ts"

// A compiler takes a minute where others have the cores.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let consumer: Awaited<ReturnType<typeof makeConsumer>>
beforeAll(async () => {
  consumer = await makeConsumer({ runs: true })
  await writeFile(join(consumer.folder, "shout.ts"), shout)
})
afterAll(() => consumer.remove())

const shout = `
import { z } from "zod"
export default (api: unknown) => ({
  name: "shout",
  label: "Shout",
  description: "Shouts.",
  parameters: z.object({ text: z.string() }),
  async execute(_id: string, { text }: { text: string }) {
    return { content: [{ type: "text", text: text.toUpperCase() }] }
  },
})`

/** A program, and what it prints. */
const programs: Readonly<Record<string, readonly [source: string, printed: string]>> = {
  stepline: [
    `import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"
    const greet = defineTool({
      name: "greet",
      description: "",
      parameters: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
      compose: ({ who }) => pipeline().awaitApproval().andThen(() => Step.Output("hello " + who)),
    })
    const executor = new ToolExecutor(new ToolRegistry([greet]))
    const approve = (event) => event._tag === "AwaitingApproval" && event.approve()
    const run = (params) => executor.run({ name: "greet", params }, approve)
    const main = async () => {
      console.log((await run({ who: "you" })).content, (await run({})).reason)
      await executor.shutdown()
    }
    main()`,
    "hello you invalid\n",
  ],
  "stepline/tools": [
    `import { ToolExecutor, ToolRegistry } from "stepline"
    import { allTools } from "stepline/tools"
    const executor = new ToolExecutor(new ToolRegistry(allTools()))
    const run = (name, params) => executor.run({ name, params, decision: "approve" })
    const main = async () => {
      console.log((await run("shell", { command: "echo hi" })).content.trim())
      console.log((await run("read_file", { path: "package.json" })).content)
      console.log((await run("ast_grep", { pattern: "f($A)", paths: ["shout.ts"] })).content)
      await executor.shutdown()
    }
    main()`,
    'hi\n   1│{"type":"module"}\nThe package @ast-grep/napi is not installed. Install it: npm install @ast-grep/napi@0.51\n',
  ],
  "stepline/custom-tools": [
    `import { ToolExecutor, ToolRegistry } from "stepline"
    import { CustomTools } from "stepline/custom-tools"
    const main = async () => {
      const registry = new ToolRegistry()
      const cwd = process.cwd()
      const customTools = await CustomTools.load({ cwd, registry, paths: ["shout.ts"], discovery: false })
      for (const { error } of customTools.errors) console.log(error)
      const executor = new ToolExecutor(registry, { hooks: customTools.hooks })
      customTools.attach(executor)
      console.log((await executor.run({ name: "shout", params: { text: "hi" }, decision: "approve" })).content)
      await executor.shutdown()
    }
    main()`,
    "HI\n",
  ],
}

const bundle = async (main: string, format: "esm" | "cjs", outfile: string): Promise<void> => {
  const options = {
    bundle: true,
    platform: "node",
    logLevel: "silent",
    absWorkingDir: consumer.folder,
  } as const
  const { warnings } = await build({ ...options, entryPoints: [main], format, outfile })
  expect(warnings.filter(({ id }) => id !== "empty-import-meta")).toEqual([])
}

const run = async (file: string, ...args: ReadonlyArray<string>): Promise<string> =>
  (await promisify(execFile)(process.execPath, [file, ...args], { cwd: consumer.folder })).stdout

describe.each(Object.entries(programs))("%s bundles with esbuild and runs", (name, [source, printed]) => {
  it.each([
    ["esm", "mjs"],
    ["cjs", "cjs"],
  ] as const)("as %s", async (format, ending) => {
    const { folder } = consumer
    const main = join(folder, `${name.replace("/", "-")}.js`)
    const outfile = main.replace(/js$/, ending)
    await writeFile(main, source)
    await bundle(main, format, outfile)
    expect(await run(outfile)).toBe(printed)
  })
})

describe("the parser of bash", () => {
  const source = `import { ToolExecutor, ToolFilters, ToolRegistry, defineTool, pipeline, Step } from "stepline"
    const executor = new ToolExecutor(new ToolRegistry([
      defineTool({ name: "greet", description: "", parameters: {}, compose: () => pipeline().andThen(() => Step.Output("hi")) }),
    ]))
    const allowing = ToolFilters.compile({ shell: { allow: ["^ls\\\\b"] } })
    const denying = ToolFilters.compile({ shell: { allow: ["^ls\\\\b"], deny: ["^rm\\\\b"] } })
    const shell = { name: "shell", primaryParam: "command", primaryKind: "command" }
    const main = async () => {
      console.log((await executor.run({ name: "greet" })).content)
      if (process.argv[2] === undefined) return
      for (const filters of [allowing, denying]) console.log(filters.evaluate(shell, { command: process.argv[2] }))
    }
    main()`

  /** What a program does where the package is not installed. */
  const withoutParser = async (work: () => Promise<void>): Promise<void> => {
    const installed = join(consumer.folder, "node_modules/unbash")
    await rename(installed, `${installed}-gone`)
    await work().finally(() => rename(`${installed}-gone`, installed))
  }

  it("is not loaded before a command is read", async () => {
    const main = join(consumer.folder, "reads.js")
    await writeFile(main, source)
    await withoutParser(async () => {
      expect(await run(main)).toBe("hi\n")
      // It is asked, and not approved: nothing tells what the command does. A deny rule that cannot be held denies.
      expect(await run(main, "ls -l")).toBe("hi\nundefined\ndeny\n")
    })
    expect(await run(main, "ls -l")).toBe("hi\napprove\napprove\n")
  })

  it.each([
    ["esm", "mjs"],
    ["cjs", "cjs"],
  ] as const)("is part of a bundle: %s", async (format, ending) => {
    const main = join(consumer.folder, "reads.js")
    const outfile = join(consumer.folder, `reads.${ending}`)
    await writeFile(main, source)
    await bundle(main, format, outfile)
    await withoutParser(async () => expect(await run(outfile, "ls -l")).toBe("hi\napprove\napprove\n"))
  })
})
