// @module-tag waits
import { readFile, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { createBashTool, createWriteTool, fromPiTool } from "../../src/custom-tools/index.ts"
import { executorIn } from "../impls/executor-in.ts"
import { useTempFolder } from "../io/temp-folder.ts"

const path = useTempFolder()

it("takes back what a foreign tool wrote with the tools that it is given, and names its commands", async () => {
  const executor = executorIn(path(), [
    fromPiTool(createWriteTool(path())),
    fromPiTool(createBashTool(path())),
  ])
  const run = (callId: string, name: string, params: unknown) =>
    executor.run({ callId, name, params, decision: "approve" })
  await writeFile(path("a"), "one")
  await run("first", "write", { path: "a", content: "two" })
  await run("second", "write", { path: "b", content: "new" })
  await run("third", "bash", { command: "true" })
  expect(executor.changes().map(({ callId, paths, unknown }) => [callId, paths, unknown])).toEqual([
    ["first", [{ path: path("a"), what: "changed", kind: "file" }], undefined],
    ["second", [{ path: path("b"), what: "created", kind: "file" }], undefined],
    ["third", [], ["the command `true`"]],
  ])
  const watching = executorIn(path(), [fromPiTool(createBashTool(path()))], { undo: { watch: true } })
  await watching.run({ callId: "bash", name: "bash", params: { command: "echo > c" }, decision: "approve" })
  expect(watching.changes().at(-1)!.paths).toEqual([{ path: path("c"), what: "created", kind: "file" }])
  await executor.agent().undo({ last: 2 })
  await executor.agent().resolve({ action: "apply", reason: "" })
  expect(await readFile(path("a"), "utf8")).toBe("one")
  await expect(readFile(path("b"))).rejects.toThrow("ENOENT")
})
