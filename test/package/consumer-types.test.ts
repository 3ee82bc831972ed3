// @module-tag waits
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { root } from "../support/root.ts"
import { makeConsumer } from "./consumer.ts"

// A compiler takes a minute where others have the cores.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

let consumer: Awaited<ReturnType<typeof makeConsumer>>
beforeAll(async () => {
  // Who builds an MCP server or client has their SDK: it stands in the entries' own types.
  consumer = await makeConsumer({ peers: ["@modelcontextprotocol/client", "@modelcontextprotocol/server"] })
})
afterAll(() => consumer.remove())

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly "@stepline/source"?: string }>>
}
const entries = Object.keys(exports).filter((name) => name !== "./package.json")

const source = [
  ...entries.map((name, index) => `import * as entry${index} from "${name.replace(/^\./, "stepline")}"`),
  'import { Type } from "@sinclair/typebox"',
  'import { z } from "zod"',
  'import { defineTool, pipeline, Step, type Tool, type ToolEvent, ToolExecutor, ToolRegistry } from "stepline"',
  'import { allTools, makeFetchUrlTool, shellTool } from "stepline/tools"',
  "const greet = defineTool({",
  '  name: "greet",',
  '  description: "",',
  "  parameters: Type.Object({ who: Type.String() }),",
  "  outputSchema: z.object({ length: z.number() }),",
  "  compose: ({ who }) => pipeline().andThen(() => Step.Output(who.toUpperCase())),",
  "})",
  "const executor = new ToolExecutor(new ToolRegistry([greet]))",
  'const result = await executor.run({ name: "greet", params: { who: "a" } })',
  "const length: number | undefined = result.output.structured?.length",
  "const mixed = new ToolExecutor(new ToolRegistry([greet, shellTool, makeFetchUrlTool()]))",
  'const { output } = await mixed.run({ name: "greet", params: { who: "a" } }, (event) => {',
  '  if (event._tag === "AwaitingApproval" && event.name === "shell") return event.params.command.trim()',
  '  if (event._tag === "Started" && event.name === "fetch_url") return event.params.max_length?.toFixed()',
  "})",
  "const mixedLength: number | undefined = output.structured?.length",
  "const everything = new ToolExecutor(new ToolRegistry([greet, ...allTools()]))",
  'await everything.run({ name: "shell", params: { command: "echo 1", background: true } })',
  "export const events = async (host: ToolExecutor): Promise<ToolEvent | undefined> => host.next()",
  "await events(everything)",
  "export const tools: Array<Tool> = allTools()",
  // A handler gives a Step: a function is no handler by its own `name` and `call`.
  ...[
    'andThen(() => "hello")',
    "andThen(() => {})",
    "andThen(async () => ({ nope: 1 }))",
    'andThen(async function* () { yield Step.Continue; return "x" })',
    "andThen(class Greeter {})",
    'finally(() => "hello")',
    'awaitResolve({ label: "x", onDiscard: () => 3 })',
  ].map((step) => `// @ts-expect-error\npipeline().${step}`),
  'pipeline().andThen(async function* () { yield Step.Delta("a"); return Step.Continue }).andThen({ name: "b", call: async () => Step.Continue })',
  `export const all = [length, mixedLength, ${entries.map((_, index) => `entry${index}`).join(", ")}]`,
].join("\n")

const nodeNext = { module: "nodenext", moduleResolution: "nodenext" }
const bundler = { module: "esnext", moduleResolution: "bundler" }

const wrong = source.replace('who: "a"', "who: 5").replace('command: "echo 1"', "command: 1")

// To compile all entries takes long: the oldest compiler is asked in one resolution and of the package's own types, the newest in the
// other and of all types that they lead to.
it("all entries compile without skipLibCheck under TypeScript 5.9 with NodeNext, though no types are named", async () => {
  const options = { ...nodeNext, types: [], exactOptionalPropertyTypes: true }
  expect(await consumer.compile(source, options, "5.9")).toBe("")
})

it("a consumer's mistakes are still some under the newest with a bundler's resolution, in a call of a built-in tool too, and nothing else is one", async () => {
  const told = await consumer.compile(wrong, bundler, "newest")
  expect(told.match(/error .*/g)).toEqual(
    Array(2).fill("error TS2322: Type 'number' is not assignable to type 'string'."),
  )
})

it.each(entries)("the entry %s names Node's types first, which not every consumer does", (entry) => {
  const file = join(root, exports[entry]?.["@stepline/source"] ?? "")
  expect(readFileSync(file, "utf8")).toMatch(/^\/\/\/ <reference types="node" preserve="true" \/>\n/)
})

describe("the package's manifest", () => {
  it("names as peers what must be there once, and Node's types as an optional one", () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8"),
    )
    expect(peerDependencies).toMatchObject({
      effect: expect.any(String),
      "@sinclair/typebox": expect.any(String),
      "@types/node": expect.any(String),
    })
    expect(dependencies).not.toHaveProperty("effect")
    expect(peerDependenciesMeta).toMatchObject({ "@types/node": { optional: true } })
    expect(peerDependenciesMeta).not.toHaveProperty("effect")
  })
})
