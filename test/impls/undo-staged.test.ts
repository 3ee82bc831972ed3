// @module-tag waits
import { execFileSync } from "node:child_process"
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { makeShellTool, makeWriteFileTool } from "../../src/impls/index.ts"
import { noIde } from "../../src/index.ts"
import { sandboxedMachine, stagingMachine } from "../../src/sandbox/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { treeOf } from "../sandbox/staging/tree.ts"
import { needs } from "../support/needs.ts"
import { executorIn } from "./executor-in.ts"

const path = useTempFolder()

beforeEach(async (test) => {
  needs(test, "bwrap")
  vi.stubEnv("XDG_STATE_HOME", path("state"))
  onTestFinished(() => void vi.unstubAllEnvs())
  await mkdir(path("ws"))
})

const makeExecutor = () => executorIn(path("ws"), [makeShellTool(stagingMachine())])

type Executor = ReturnType<typeof makeExecutor>

const apply = async (executor: Executor) => {
  const result = await executor.agent().resolve({ action: "apply", reason: "test" })
  expect(result, result.content).toMatchObject({ status: "complete" })
}

const command = async (executor: Executor, text: string) => {
  const params = { command: text, stage: true }
  await executor.run({ callId: "command", name: "shell", params, decision: "approve" })
  await apply(executor)
}

it("what a sandboxed machine wrote is taken back within its bounds", async () => {
  await using machine = await sandboxedMachine({ cwd: path("ws"), write: [path("ws")] })
  const executor = executorIn(path("ws"), [makeWriteFileTool(machine)], { delegates: noIde })
  const params = { path: "folder/a", content: "x" }
  await executor.run({ name: "write_file", params, decision: "approve" })
  expect(executor.changes()).toMatchObject([
    { name: "write_file", paths: [{}, { path: path("ws/folder/a") }] },
  ])
  await executor.agent().undo({ last: 1 })
  await apply(executor)
  expect(Object.keys(await treeOf(path("ws")))).toEqual(["."])
  const [inside, outside] = [path("ws/b"), path("b")]
  for (const file of [inside, outside]) await writeFile(file, "x")
  const seen = await machine.files.history!.look([{ path: inside }, { path: outside }])
  const staged = await machine.files.history!.stage(seen.map((from) => ({ from, to: { kind: "nothing" } })))
  expect(staged).toMatchObject({
    changes: [{ path: inside.slice(1), what: "deleted" }],
    left: [
      { path: outside, why: `The sandbox does not let ${outside} be written: only ${path("ws")} may be` },
    ],
  })
})

describe("what a staged command changed", () => {
  it("is taken back whole, and made again", async () => {
    for (const name of ["a", "b", "mode"]) await writeFile(path(`ws/${name}`), `${name}\n`)
    await mkdir(path("ws/full/deep"), { recursive: true })
    await writeFile(path("ws/full/deep/c"), Buffer.from([0, 1, 2, 255]))
    await symlink("a", path("ws/link"))
    await chmod(path("ws/mode"), 0o640)
    const before = await treeOf(path("ws"))
    const executor = makeExecutor()
    await command(
      executor,
      "echo more >> a; rm b; mkdir b; echo x > b/inside; rm -r full; echo y > full; ln -sf b link; chmod 755 mode; mkdir -p 'new folder/\u00e9'; mv mode renamed",
    )
    const after = await treeOf(path("ws"))
    expect(after).not.toEqual(before)
    await executor.agent().undo({ callId: "command" })
    await apply(executor)
    expect(await treeOf(path("ws"))).toEqual(before)
    await executor.agent().undo({ callId: executor.changes().at(-1)!.callId })
    await apply(executor)
    expect(await treeOf(path("ws"))).toEqual(after)
  })

  it("spares untracked and ignored files of others, and covers those that git ignores", async () => {
    const git = (...args: Array<string>) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: path("ws"),
        stdio: "pipe",
      })
    await writeFile(path("ws/.gitignore"), "ignored*\n")
    await writeFile(path("ws/ignored.log"), "one\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    const executor = makeExecutor()
    await command(executor, "echo two > ignored.log; echo new > ignored.new; echo new > untracked")
    await writeFile(path("ws/untracked-of-mine"), "mine\n")
    await writeFile(path("ws/ignored-of-mine"), "mine\n")
    await executor.agent().undo({ last: 1 })
    await apply(executor)
    expect(await readFile(path("ws/ignored.log"), "utf8")).toBe("one\n")
    const names = Object.keys(await treeOf(path("ws"))).filter((name) => !name.startsWith(".git"))
    expect(names).toEqual([".", "ignored-of-mine", "ignored.log", "untracked-of-mine"])
  })

  it("is left alone in a folder that is gone", async () => {
    await mkdir(path("ws/folder"))
    await writeFile(path("ws/folder/a"), "one\n")
    const executor = makeExecutor()
    await command(executor, "rm folder/a; echo b > b")
    await rm(path("ws/folder"), { recursive: true })
    const preview = await executor.agent().undo({ last: 1 })
    expect(preview.content).toContain("Left alone:\nfolder/a: its folder is not there any more")
    await apply(executor)
    expect(Object.keys(await treeOf(path("ws")))).toEqual(["."])
  })
})
