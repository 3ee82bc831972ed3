// @module-tag waits
/** A process that edits, previews an undo and applies it is killed at each of its writes to the disk: the next one finds all or nothing. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, expect, it, onTestFinished, vi } from "vitest"
import { recordedChanges } from "../../src/handlers/index.ts"
import { ToolExecutor, ToolRegistry } from "../../src/index.ts"
import { recoverStages } from "../../src/io/staging/stage-folders.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { treeOf } from "../sandbox/staging/tree.ts"
import { builtPackage } from "../support/built-package.ts"

const path = useTempFolder()

beforeEach(() => {
  vi.stubEnv("XDG_STATE_HOME", path("state"))
  onTestFinished(() => void vi.unstubAllEnvs())
})

/** Counts what the process writes, and ends it right before the write with the number `at`. */
const dyingAt = (at: number) => `
  import fs from "node:fs"
  import { syncBuiltinESMExports } from "node:module"
  let count = 0
  process.on("exit", () => console.log(count))
  const counted = (of, name) => {
    const original = of[name]
    of[name] = (...args) => {
      const reads = name.startsWith("open") && !/[wa+]/.test(String(args[1] ?? "r"))
      if (!reads && ++count === ${at}) process.kill(process.pid, "SIGKILL")
      return original.apply(of, args)
    }
  }
  const writing = ["open", "writeFile", "rename", "link", "symlink", "rm", "rmdir", "unlink", "mkdir", "chmod", "copyFile", "utimes"]
  for (const name of writing) counted(fs.promises, name)
  for (const name of ["openSync", "writeSync"]) counted(fs, name)
  syncBuiltinESMExports()
`

/** Three calls, the undo of all of them, and its end. */
const script = (dist: string, cwd: string) => `
  import { noIde, ToolExecutor, ToolRegistry } from ${JSON.stringify(join(dist, "index.js"))}
  import { editFileTool, writeFileTool } from ${JSON.stringify(join(dist, "impls/index.js"))}
  const executor = new ToolExecutor(new ToolRegistry([editFileTool, writeFileTool]), { cwd: ${JSON.stringify(cwd)}, delegates: noIde })
  const edit = (path) => ({ name: "edit_file", params: { path, edits: [{ old_string: "old", new_string: "new" }] } })
  const write = { name: "write_file", params: { path: "made/c", content: "c" } }
  for (const call of [edit("a"), write, edit("b")]) await executor.run({ ...call, decision: "approve" })
  const agent = executor.agent()
  console.log((await agent.undo({ last: 3 })).status, (await agent.resolve({ action: "apply", reason: "" })).status)
  await executor.shutdown()
`

const before = async () => {
  for (const folder of ["ws", "state"]) await rm(path(folder), { recursive: true, force: true })
  await mkdir(path("ws"))
  for (const name of ["a", "b", "other"]) await writeFile(path(`ws/${name}`), "old\n")
}

const run = async (at: number) => {
  await before()
  const dist = join(await builtPackage(), "dist")
  const preload = `data:text/javascript,${encodeURIComponent(dyingAt(at))}`
  const child = spawn(
    process.execPath,
    ["--import", preload, "--input-type=module", "-e", script(dist, path("ws"))],
    { stdio: ["ignore", "pipe", "inherit"] },
  )
  let printed = ""
  child.stdout.on("data", (chunk) => {
    printed += chunk
  })
  const [, signal] = await once(child, "close")
  return { signal, lines: printed.trim().split("\n") }
}

/** Without the lock and the new content of a file whose writer was killed: the next edit of that file removes them. */
const tree = async () => {
  const all = Object.entries(await treeOf(path("ws")))
  return Object.fromEntries(all.filter(([name]) => !name.includes(".stepline-")))
}

/** What the next process sees and does: whatever was written is taken back. */
const takeBackRest = async () => {
  const executor = new ToolExecutor(new ToolRegistry([]), { cwd: path("ws") })
  onTestFinished(() => executor.shutdown())
  executor.restoreChanges(await recordedChanges({ cwd: path("ws") }))
  const agent = executor.agent()
  const { status } = await agent.undo({ last: 10 })
  if (status === "complete") {
    const { content } = await agent.resolve({ action: "apply", reason: "" })
    expect(content).toContain("made.")
  }
}

it("leaves a whole undo or none, and no write that could not be taken back", async () => {
  await before()
  const old = await tree()
  const { lines } = await run(0)
  expect(lines[0]).toBe("complete complete")
  expect(await tree()).toEqual(old)
  const writes = Number(lines[1])
  expect(writes).toBeGreaterThan(40)
  for (let at = 1; at <= writes; at += 5) {
    const { signal } = await run(at)
    expect(signal, `write ${at}`).toBe("SIGKILL")
    await recoverStages()
    const found = await tree()
    // Files are changed one after another by the calls, and all at once by the undo.
    const changed = ["a", "made/c", "b"].map((name) => found[name] !== old[name])
    expect([[], [true], [true, true], [true, true, true]], `write ${at}`).toContainEqual(
      changed.slice(0, changed.lastIndexOf(true) + 1),
    )
    await takeBackRest()
    const { made, ...rest } = await tree()
    expect(rest, `write ${at}`).toEqual(old)
    // A folder that holds the new content of a writer that was killed is not empty.
    if (made !== undefined)
      expect(await readdir(path("ws/made"))).toContainEqual(expect.stringMatching(/^\.stepline-/))
  }
})
