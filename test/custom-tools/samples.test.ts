// @module-tag waits
/** Tools and extensions as their authors write them, in files of their own. */

import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { CustomTools, type CustomToolsOptions, MemorySession } from "../../src/custom-tools/index.ts"
import { readFileTool } from "../../src/impls/index.ts"
import { ToolExecutor, ToolRegistry } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { writeFiles } from "./loading/write-files.ts"

const path = useTempFolder()
const sample = (name: string) => fileURLToPath(new URL(`samples/${name}`, import.meta.url))

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }

/** Loads samples into an executor that has `read_file`. */
const load = async (names: ReadonlyArray<string>, options: Partial<CustomToolsOptions> = {}) => {
  const registry = new ToolRegistry([readFileTool])
  const tools = await CustomTools.load({
    cwd: path(),
    home: path("home"),
    registry,
    paths: names.map(sample),
    discovery: false,
    host: { logger: silent, approval: false },
    ...options,
  })
  const executor = new ToolExecutor(registry, { cwd: path(), hooks: tools.hooks })
  onTestFinished(() => executor.shutdown())
  tools.attach(executor)
  await tools.emit({ reason: "start" })
  const text = async (name: string, params: unknown = {}) => (await executor.run({ name, params })).content
  return { tools, executor, text }
}

const namesOf = (tools: CustomTools) => tools.tools.map(({ name }) => name)

describe("a tool", () => {
  it("may be written in JavaScript, and needs no approval if it only reads", async () => {
    await writeFiles(path(), { "poem.txt": "roses are red\n" })
    const { executor } = await load(["good/word-count.js"], { host: { logger: silent } })
    const { status, content, output } = await executor.run({
      name: "word_count",
      params: { path: "poem.txt" },
    })
    expect([status, content, output.details]).toEqual(["complete", "3 words", { count: 3 }])
  })

  it("may be written in TypeScript, run programs and tell how far it is", async () => {
    await writeFiles(path(), { "poem.txt": "roses\nare\nred\n" })
    const { executor, text } = await load(["good/line-count.ts"])
    const events = await new ScriptedHost(executor).run([
      { name: "line_count", params: { path: "poem.txt" } },
    ])
    expect(events).toMatchObject([
      { _tag: "Started" },
      { _tag: "Delta", content: "Counting", partial: { details: { phase: "count" } } },
      { _tag: "Completed", content: "3 lines", output: { details: { count: 3 } } },
    ])
    expect(await text("line_count", { path: "poem.txt", unit: "bytes" })).toBe("14 bytes")
    expect(await text("line_count", { path: "gone.txt" })).toContain("gone.txt")
    expect(await text("line_count", { unit: "miles", path: "poem.txt" })).toContain(
      'Validation failed for tool "line_count":\n  - unit: ',
    )
  })

  it("may come with others from one factory, later", async () => {
    const { tools, text } = await load(["good/units.ts"])
    expect(namesOf(tools)).toEqual(["to_celsius", "to_fahrenheit"])
    expect(await text("to_celsius", { value: 212 })).toBe("100")
    expect(await text("to_fahrenheit", { value: "100" })).toBe("212")
  })

  it("may take its arguments in pi's old order, where its source says so", async () => {
    const paths = [{ path: sample("good/old-greet.ts"), argumentOrder: "legacy" } as const]
    const { text } = await load([], { paths })
    expect(await text("old_greet", { name: "Ada" })).toBe(`Good day, Ada! We are in ${path()}.`)
    const today = await load(["good/old-greet.ts"])
    expect(await today.text("old_greet", { name: "Ada" })).toBe("onUpdate is not a function")
  })

  it("may keep a state in the session, which follows where the session goes", async () => {
    const { text, tools, executor } = await load(["good/counter.ts"])
    expect([await text("counter"), await text("counter")]).toEqual(["1", "2"])
    await tools.emit({ reason: "tree" })
    expect(await text("counter")).toBe("3")
    await tools.emit({ type: "session_switch", reason: "resume" })
    const { output } = await executor.run({ name: "counter" })
    expect(output.details).toEqual({ count: 4, reasons: ["start", "tree", "switch"] })

    const session = new MemorySession()
    const message = { role: "toolResult", toolName: "counter", details: { count: 40 } }
    session.append({ type: "message", message })
    const resumed = await load(["good/counter.ts"], {
      host: { logger: silent, approval: false, sessionManager: session },
    })
    expect(await resumed.text("counter")).toBe("41")
  })

  it("may preview what it would do, for resolve to apply or discard", async () => {
    await writeFiles(path(), { "code.txt": "foo(foo)\n" })
    const { executor, text } = await load(["good/rename-word.ts"])
    const preview = { path: "code.txt", from: "foo", to: "bar" }
    const code = () => readFile(path("code.txt"), "utf8")

    expect(await text("rename_word", preview)).toBe("Would rename 2")
    expect(executor.agent().pendingActions.list()).toMatchObject([
      { label: "Rename foo to bar", sourceToolName: "rename_word", details: { count: 2 } },
    ])
    expect(await text("resolve", { action: "discard", reason: "no" })).toBe("Kept foo: no")
    expect(await code()).toBe("foo(foo)\n")

    await text("rename_word", preview)
    expect(await text("resolve", { action: "apply", reason: "yes" })).toBe("Renamed 2: yes")
    expect(await code()).toBe("bar(bar)\n")
    expect(await text("resolve", { action: "apply", reason: "again" })).toBe(
      "No pending action to resolve. Nothing to apply or discard.",
    )
  })
})

const declarative = "Declarative tool files (.md, .json) cannot be loaded as executable modules"
const exits = (name: string) =>
  `Failed to load tool: ${sample(name)} called process.exit, which would end the program that runs it`
const advice = "Raise `loadTimeout`, or leave the module out."
const tooLong = (name: string) =>
  `Failed to load tool: ${sample(name)} did not finish loading within 200 ms. ${advice}`
const invalid = (index: number) =>
  `Tool factory returned invalid tool at index ${index}: expected object with string name, string description, parameters, and execute function`

describe("a bad module", () => {
  const errors: Readonly<Record<string, string>> = {
    "bad/declarative.md": declarative,
    "bad/declarative.json": declarative,
    "bad/no-default.ts": "Tool must export a default function",
    "bad/throws-at-import.ts": "Failed to load tool: The licence has run out",
    "bad/name-conflict.ts": 'Tool name "read_file" conflicts with existing tool',
    "bad/invalid-second.ts": invalid(1),
    "bad/pushes-at-load.ts":
      "Failed to load tool: Pending action store unavailable for custom tools in this runtime.",
    "bad/exits-at-import.ts": exits("bad/exits-at-import.ts"),
    "bad/exits-in-factory.ts": exits("bad/exits-in-factory.ts"),
    "bad/returns-nonsense.ts": invalid(0),
    "bad/unknown-name.ts":
      "Failed to load tool: createTelepathyTool() needs an agent of its own; install @mariozechner/pi-coding-agent beside the tool.",
  }

  it("costs its own tools only, and its error says what is wrong with which file", async () => {
    const names = Object.keys(errors)
    const { tools, text } = await load([...names, "good/units.ts"], { standIns: "always" })
    expect(Object.fromEntries(tools.errors.map(({ path, error }) => [path, error]))).toEqual(
      Object.fromEntries(names.map((name) => [sample(name), errors[name]])),
    )
    expect(namesOf(tools)).toEqual(["first", "third", "to_celsius", "to_fahrenheit"])
    expect(await text("third")).toBe("third")
    await writeFiles(path(), { "a.txt": "the real one\n" })
    expect(await text("read_file", { path: "a.txt" })).toContain("the real one")
  })

  it("cannot hold up the program", async () => {
    const names = ["bad/spins-at-import.ts", "bad/never-settles.ts"]
    const { tools } = await load(names, { loadTimeout: 200 })
    expect(tools.errors.map(({ error }) => error)).toEqual(names.map(tooLong))
  })

  it("cannot end the program in a call", async () => {
    const { text } = await load(["bad/exits-in-execute.ts"])
    expect(await text("exits")).toBe("exits called process.exit, which would end the program that runs it")
  })

  it("finds nothing on the standard input", async () => {
    expect(await (await load(["bad/reads-stdin.ts"])).text("reads_stdin")).toBe('""')
  })

  it("may answer with nonsense, of which something is made", async () => {
    const { executor } = await load(["bad/answers-nonsense.ts"])
    const contents: Array<string> = []
    for (let n = 0; n < 5; n++) {
      const { status, content } = await executor.run({ name: "answers_nonsense" })
      expect(status).toBe("complete")
      contents.push(content)
    }
    expect(contents).toEqual(["text", "5", "", "text", '{"type":"video"}'])
  })
})
