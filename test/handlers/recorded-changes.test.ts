// @module-tag waits
import { spawnSync } from "node:child_process"
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { recordedChanges } from "../../src/handlers/index.ts"
import { writeFileTool } from "../../src/impls/index.ts"
import { noIde, ToolExecutor, ToolRegistry } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { root } from "../support/root.ts"

const path = useTempFolder()

beforeEach(() => {
  vi.stubEnv("XDG_STATE_HOME", path("state"))
  onTestFinished(() => void vi.unstubAllEnvs())
})

/** A process that edits `a` and makes `b`, and is killed `at` a point of each write. */
const killed = (at: "before" | "after") => {
  const script = `
    import { writeFileSync } from "node:fs"
    import { changing } from "./src/handlers/index.ts"
    import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "./src/index.ts"
    import { localFiles } from "./src/io/index.ts"
    const write = defineTool({
      name: "write",
      description: "x",
      parameters: { type: "object" },
      compose: ({ name, content, dies }) =>
        pipeline().andThen(async (context) => {
          const at = context.cwd + "/" + name
          const after = Buffer.from(content)
          await changing(context, localFiles, [{ path: at, after }], async () => {
            if (dies === "before") process.kill(process.pid, "SIGKILL")
            writeFileSync(at, content)
            if (dies === "after") process.kill(process.pid, "SIGKILL")
          })
          return Step.Continue
        }),
    })
    const executor = new ToolExecutor(new ToolRegistry([write]), { cwd: ${JSON.stringify(path())} })
    const run = (callId, params) => executor.run({ callId, name: "write", params })
    await run("first", { name: "a", content: "two" })
    await run("second", { name: "b", content: "new", dies: ${JSON.stringify(at)} })
  `
  const args = ["--import", "tsx", "--conditions=@stepline/source", "--input-type=module", "-e", script]
  const { signal, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
  expect(signal, stderr).toBe("SIGKILL")
}

const restored = async () => {
  const executor = new ToolExecutor(new ToolRegistry([]), { cwd: path() })
  onTestFinished(() => executor.shutdown())
  executor.restoreChanges(await recordedChanges({ cwd: path() }))
  return executor
}

it("a change is known although a line before it was cut off", async () => {
  const executor = new ToolExecutor(new ToolRegistry([writeFileTool]), { cwd: path(), delegates: noIde })
  onTestFinished(() => executor.shutdown())
  const write = (name: string) =>
    executor.run({ name: "write_file", params: { path: name, content: "x" }, decision: "approve" })
  await write("a")
  const logs = path("state/stepline/undo-log")
  const [log] = await readdir(logs)
  await appendFile(join(logs, log!), '{"id":2,"ends":[')
  await write("b")
  const changed = (await restored()).changes().flatMap(({ paths }) => paths.map((each) => each.path))
  expect(changed).toEqual([path("a"), path("b")])
})

const names = async () => (await readdir(path())).filter((name) => name !== "state")

describe("what a process has changed that was killed", () => {
  it.each([
    ["before", ["write"]],
    ["after", ["write", "write"]],
  ] as const)("%s it wrote is taken back by the next one", async (at, tools) => {
    await writeFile(path("a"), "one")
    killed(at)
    const executor = await restored()
    expect(executor.changes().map(({ name }) => name)).toEqual(tools)
    await executor.agent().undo({ last: 5 })
    await executor.agent().resolve({ action: "apply", reason: "" })
    expect(await readFile(path("a"), "utf8")).toBe("one")
    expect(await names()).toEqual(["a"])
    const next = await restored()
    expect(next.changes().map(({ name, undoneBy }) => [name, undoneBy])).toEqual([
      ["write", expect.stringMatching(/^\d+-\d*-[0-9a-f]{8}:/)],
      ["undo", undefined],
    ])
  })

  it("is found by the id of its call, and of another folder not at all", async () => {
    await writeFile(path("a"), "one")
    killed("before")
    const executor = await restored()
    expect((await executor.agent().undo({ callId: "first" })).content).toContain("-two")
    expect(await recordedChanges({ cwd: "/" })).toEqual([])
  })
})
