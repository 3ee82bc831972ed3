// @module-tag waits
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { allTools } from "../../src/impls/index.ts"
import { noIde, ToolExecutor, type ToolExecutorOptions, ToolRegistry } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { treeOf } from "../sandbox/staging/tree.ts"

const path = useTempFolder()

const makeExecutor = (options: ToolExecutorOptions = {}) => {
  const executor = new ToolExecutor(new ToolRegistry(allTools()), {
    cwd: path(),
    delegates: noIde,
    ...options,
  })
  onTestFinished(() => executor.shutdown())
  return executor
}

const run = async (executor: ToolExecutor, name: string, params: unknown, callId: string) => {
  const result = await executor.run({ name, params, callId, decision: "approve" })
  expect(result, result.content).toMatchObject({ status: "complete" })
  return result
}

const edit = (executor: ToolExecutor, file: string, old_string: string, new_string: string, callId: string) =>
  run(executor, "edit_file", { path: file, edits: [{ old_string, new_string }] }, callId)

const write = (executor: ToolExecutor, file: string, content: string, callId: string) =>
  run(executor, "write_file", { path: file, content }, callId)

const apply = (executor: ToolExecutor) => executor.agent().resolve({ action: "apply", reason: "as asked" })

const text = (name: string) => readFile(path(name), "utf8")

describe("what undo takes back", () => {
  it("is shown first, and made when it is resolved", async () => {
    const executor = makeExecutor()
    await writeFile(path("a.txt"), "one\n")
    await edit(executor, "a.txt", "one", "two", "edit")
    await write(executor, "new/deep/b.txt", "b\n", "write")
    const preview = await executor.agent().undo({ last: 2 })
    expect(preview).toMatchObject({ status: "complete" })
    expect(
      preview.content,
    ).toContain(`[undo] 4 changes, not made yet, to take back edit_file edit, write_file write:
changed  a.txt
deleted  new/
deleted  new/deep/
deleted  new/deep/b.txt
`)
    expect(preview.content).toContain("-two\n+one\n")
    expect(await text("a.txt")).toBe("two\n")
    const applied = await apply(executor)
    expect(applied).toMatchObject({ status: "complete" })
    expect(Object.keys(await treeOf(path()))).toEqual([".", "a.txt"])
    expect(await text("a.txt")).toBe("one\n")
  })

  it("can be taken back itself, and again", async () => {
    const executor = makeExecutor()
    await write(executor, "new/a.txt", "one\n", "write")
    await edit(executor, "new/a.txt", "one", "two", "edit")
    const after = await treeOf(path())
    await executor.agent().undo({ last: 5 })
    await apply(executor)
    const before = await treeOf(path())
    expect(Object.keys(before)).toEqual(["."])
    const undo = executor.changes().at(-1)!
    expect(undo).toMatchObject({ name: "undo", undoes: ["write", "edit"] })
    expect(executor.changes().map(({ undoneBy }) => undoneBy)).toEqual([undo.callId, undo.callId, undefined])
    await executor.agent().undo({ callId: undo.callId })
    await apply(executor)
    expect(await treeOf(path())).toEqual(after)
    expect(executor.changes().map(({ undoneBy }) => undoneBy)).toEqual([
      undefined,
      undefined,
      executor.changes().at(-1)!.callId,
      undefined,
    ])
    await executor.agent().undo({ last: 2 })
    await apply(executor)
    expect(await treeOf(path())).toEqual(before)
  })

  it("keeps modes", async () => {
    const executor = makeExecutor()
    await writeFile(path("run.sh"), "one\n")
    await chmod(path("run.sh"), 0o751)
    await edit(executor, "run.sh", "one", "two", "edit")
    await executor.agent().undo({ callId: "edit" })
    await apply(executor)
    expect((await stat(path("run.sh"))).mode & 0o777).toBe(0o751)
  })

  it("is taken out of what somebody else has changed since, if that is asked for and the two are apart", async () => {
    const executor = makeExecutor()
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`)
    const content = (change: Record<number, string>) =>
      `${lines.map((line, i) => change[i] ?? line).join("\n")}\n`
    for (const name of ["apart", "touching"]) {
      await writeFile(path(name), content({}))
      await edit(executor, name, "line 3\n", "ours\n", name)
    }
    await writeFile(path("apart"), content({ 3: "ours", 15: "theirs" }))
    await writeFile(path("touching"), content({ 3: "theirs" }))
    const agent = executor.agent()
    expect((await agent.undo({ last: 2 })).content).toContain("apart: somebody else has changed it since")
    const preview = await agent.undo({ last: 2, merge: true })
    expect(preview.content).toContain("-ours\n+line 3\n")
    expect(preview.content).toContain("Left alone:\ntouching: somebody else has changed it since")
    await apply(executor)
    expect(await text("apart")).toBe(content({ 15: "theirs" }))
    expect(await text("touching")).toBe(content({ 3: "theirs" }))
    await agent.undo({ callId: executor.changes().at(-1)!.callId })
    await apply(executor)
    expect(await text("apart")).toBe(content({ 3: "ours", 15: "theirs" }))
  })

  it("is the one file that several names have", async () => {
    const executor = makeExecutor()
    await writeFile(path("a.ts"), "foo(1)\n")
    await link(path("a.ts"), path("b.ts"))
    const before = await treeOf(path())
    const ops = [{ pattern: "foo($A)", replacement: "bar($A)" }]
    await run(executor, "ast_edit", { ops, paths: ["."] }, "rename")
    await executor
      .agent()
      .resolve(
        { action: "apply", reason: "" },
        { onEvent: (event) => void (event._tag === "AwaitingApproval" && event.approve()) },
      )
    expect(await text("b.ts")).toBe("bar(1)\n")
    await executor.agent().undo({ callId: "rename" })
    await apply(executor)
    expect(await treeOf(path())).toEqual(before)
  })

  it("is nothing that somebody else has changed since, which is named", async () => {
    const executor = makeExecutor()
    for (const name of ["a", "b", "c", "d"]) await writeFile(path(name), "one\n")
    for (const name of ["a", "b", "c", "d"]) await edit(executor, name, "one", "two", `edit ${name}`)
    await write(executor, "new/e", "e", "write")
    await writeFile(path("a"), "mine\n")
    await rm(path("b"))
    await mkdir(path("b"))
    await rm(path("c"))
    await symlink("d", path("c"))
    await writeFile(path("new/untracked"), "mine\n")
    const preview = await executor.agent().undo({ last: 5 })
    expect(preview.content).toContain(`Left alone:
a: somebody else has changed it since
b: somebody else has changed it since
c: somebody else has changed it since
new: it is a folder that holds something else by now`)
    await apply(executor)
    expect(Object.keys(await treeOf(path()))).toEqual([".", "a", "b", "c", "d", "new", "new/untracked"])
    expect([await text("a"), await text("c"), await text("d")]).toEqual(["mine\n", "one\n", "one\n"])
  })

  it("is not applied over what was changed after the preview", async () => {
    const executor = makeExecutor()
    for (const name of ["a", "b"]) await writeFile(path(name), "one\n")
    for (const name of ["a", "b"]) await edit(executor, name, "one", "two", `edit ${name}`)
    await executor.agent().undo({ last: 2 })
    await writeFile(path("b"), "mine\n")
    expect(await apply(executor)).toMatchObject({
      status: "error",
      content: expect.stringContaining(`${path("b")} changed since the preview. Discard it, and undo again.`),
    })
    expect([await text("a"), await text("b")]).toEqual(["two\n", "mine\n"])
  })

  it("goes back to the first content of a file through all of its changes, and not past one of somebody else", async () => {
    const executor = makeExecutor()
    await writeFile(path("a"), "one\n")
    await edit(executor, "a", "one", "two", "first")
    await edit(executor, "a", "two", "three", "second")
    await executor.agent().undo({ last: 2 })
    await apply(executor)
    expect(await text("a")).toBe("one\n")
    await edit(executor, "a", "one", "two", "third")
    await writeFile(path("a"), "mine\n")
    await edit(executor, "a", "mine", "yours", "fourth")
    const preview = await executor.agent().undo({ last: 2 })
    expect(preview.content).toContain("a: somebody else has changed it since")
    await apply(executor)
    expect(await text("a")).toBe("mine\n")
  })

  it("is a turn, or all since a time", async () => {
    const executor = makeExecutor()
    const agent = executor.agent()
    const turn = (names: ReadonlyArray<string>) =>
      agent.runTurn(
        names.map((name) => ({
          name: "write_file",
          params: { path: name, content: "x" },
          decision: "approve" as const,
        })),
      )
    await turn(["a", "b"])
    await turn(["c"])
    expect(executor.changes().map(({ turn, paths }) => [turn, paths[0]!.path])).toEqual([
      [1, path("a")],
      [1, path("b")],
      [2, path("c")],
    ])
    await agent.undo({ turn: 1 })
    await apply(executor)
    expect(Object.keys(await treeOf(path()))).toEqual([".", "c"])
    await agent.undo({ since: executor.changes()[0]!.at })
    await apply(executor)
    expect(Object.keys(await treeOf(path()))).toEqual(["."])
  })

  it("is several files of one structural edit", async () => {
    const executor = makeExecutor()
    for (const name of ["a.ts", "b.ts"]) await writeFile(path(name), "foo(1)\n")
    const ops = [{ pattern: "foo($A)", replacement: "bar($A)" }]
    await run(executor, "ast_edit", { ops, paths: ["."] }, "rename")
    await executor
      .agent()
      .resolve(
        { action: "apply", reason: "" },
        { onEvent: (event) => void (event._tag === "AwaitingApproval" && event.approve()) },
      )
    expect(await text("b.ts")).toBe("bar(1)\n")
    await executor.agent().undo({ callId: "rename" })
    await apply(executor)
    expect([await text("a.ts"), await text("b.ts")]).toEqual(["foo(1)\n", "foo(1)\n"])
  })
})

describe("undo of a model", () => {
  it("is asked about behind its preview", async () => {
    const executor = makeExecutor()
    await write(executor, "a", "x", "write")
    await executor.run({ name: "undo", params: { last: 1 } })
    expect(await apply(executor)).toMatchObject({ status: "denied" })
    expect(await text("a")).toBe("x")
    const labels: Array<string | undefined> = []
    await executor.agent().resolve(
      { action: "apply", reason: "" },
      {
        onEvent: (event) => {
          if (event._tag !== "AwaitingApproval") return
          labels.push(event.label)
          event.approve()
        },
      },
    )
    expect(labels).toEqual(["Take back the last call"])
    await expect(text("a")).rejects.toThrow("ENOENT")
  })
})

describe("what cannot be taken back is said", () => {
  it("where nothing is recorded", async () => {
    const executor = makeExecutor()
    await write(executor, "a", "x", "write")
    await run(executor, "read_file", { path: "a" }, "read")
    const agent = executor.agent()
    const contentOf = async (request: Parameters<typeof agent.undo>[0], of = agent) =>
      (await of.undo(request)).content
    const unknown = (id: string) =>
      `No change of call "${id}" is recorded: there was no such call, or it changed nothing. List the changes first.`
    expect(await contentOf({ callId: "nope" })).toBe(unknown("nope"))
    expect(await contentOf({ callId: "read" })).toBe(unknown("read"))
    expect(await contentOf({ callId: "write" }, executor.agent("other"))).toBe(
      'Call "write" is of agent main: undo it as that agent.',
    )
    expect(await contentOf({ turn: 7 })).toBe("Nothing that turn 7 of agent main changed can be taken back.")
    expect(await contentOf({ last: 3 }, executor.agent("other"))).toBe(
      "Nothing that the last 3 calls of agent other changed can be taken back.",
    )
    expect((await makeExecutor({ undo: false }).agent().undo({ last: 1 })).content).toBe(
      "Nothing can be taken back: the executor keeps no changes (`undo: false`).",
    )
  })

  it("of what was dropped", async () => {
    const executor = makeExecutor({ undo: { maxAge: 0 } })
    await write(executor, "a", "x", "write")
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(executor.changes()).toEqual([])
    expect((await executor.agent().undo({ callId: "write" })).content).toBe(
      'What call "write" changed was dropped: it is older or more than what is kept.',
    )
  })

  it.each([
    ["were too much", { maxBytes: 10 }, "state", "has 27 bytes, more than are kept"],
    ["could not be kept", {}, "file", "could not be kept: "],
  ])("of contents that %s", async (_what, undo, state, why) => {
    await writeFile(path("file"), "no folder")
    vi.stubEnv("XDG_STATE_HOME", path(state))
    onTestFinished(() => void vi.unstubAllEnvs())
    const executor = makeExecutor({ undo })
    await writeFile(path("a"), "long enough to be too much\n")
    await edit(executor, "a", "long", "short", "edit")
    expect((await executor.agent().undo({ callId: "edit" })).content).toContain(
      `Nothing can be taken back.\nLeft alone:\na: what it held before ${why}`,
    )
    expect(await text("a")).toBe("short enough to be too much\n")
  })

  it("of contents for which there was no room any more", async () => {
    vi.stubEnv("XDG_STATE_HOME", path("state"))
    onTestFinished(() => void vi.unstubAllEnvs())
    const executor = makeExecutor({ undo: { maxBytes: 45 } })
    for (const name of ["a", "b"]) {
      await writeFile(path(name), `${name} has content\n`)
      await edit(executor, name, "has", "had", name)
    }
    // Of both edits there is what was before, and what came of it, of 14 bytes each.
    await expect.poll(() => readdir(path("state/stepline/undo"))).toHaveLength(2)
    const preview = await executor.agent().undo({ last: 2 })
    expect(preview.content).toContain("Left alone:\na: what it held before is not kept any more")
    await apply(executor)
    expect([await text("a"), await text("b")]).toEqual(["a had content\n", "b has content\n"])
  })

  it("of places that may not be written any more", async (test) => {
    if (process.getuid?.() === 0) return test.skip()
    const executor = makeExecutor()
    await mkdir(path("folder"))
    await write(executor, "folder/a", "x", "write")
    await executor.agent().undo({ callId: "write" })
    await chmod(path("folder"), 0o555)
    const { content } = await apply(executor)
    await chmod(path("folder"), 0o755)
    expect(content).toContain(
      `Nothing was applied: the folder ${path("folder")} may not be written. Change its mode and apply again.`,
    )
  })

  it("to the second of two undos of one call", async () => {
    const executor = makeExecutor()
    await write(executor, "a", "x", "write")
    const agent = executor.agent()
    const previews = [await agent.undo({ callId: "write" }), await agent.undo({ callId: "write" })]
    expect(previews.map(({ status }) => status)).toEqual(["complete", "complete"])
    const results = await Promise.all([apply(executor), apply(executor)])
    expect(results.map(({ status }) => status).sort()).toEqual(["complete", "error"])
    expect(results.find(({ status }) => status === "error")!.content).toContain(
      `Nothing was applied: ${path("a")} changed since the preview. Discard it, and undo again.`,
    )
    expect((await agent.undo({ callId: "write" })).content).toBe(`Nothing can be taken back.
Left alone:
a: somebody else has changed it since
Taken back before: write_file write, by ${executor.changes().at(-1)!.callId}`)
  })

  it("of commands, which are named", async () => {
    const executor = makeExecutor()
    await write(executor, "a", "x", "write")
    await run(executor, "shell", { command: "echo x > b" }, "shell")
    const preview = await executor.agent().undo({ last: 1 })
    expect(preview.content).toContain("What the command `echo x > b` may have changed is not known.")
    expect((await executor.agent().undo({ callId: "shell" })).content).toBe(
      'Nothing that call "shell" changed can be taken back. What the command `echo x > b` may have changed is not known.',
    )
    expect(executor.changes().at(-1)).toMatchObject({ paths: [], unknown: ["the command `echo x > b`"] })
  })

  it("of commands, but what they created, where they are watched", async () => {
    const executor = makeExecutor({ undo: { watch: true } })
    await mkdir(path("old"))
    for (const name of ["same", "edited", "gone", "old/locked"]) await writeFile(path(name), name)
    await symlink("same", path("link"))
    const command =
      "mkdir -p new .git && echo x > new/b && echo y > .git/c && echo z >> edited && rm gone && chmod 600 old/locked && ln -sfn edited link"
    const before = await stat(path("old/locked"))
    await run(executor, "shell", { command }, "shell")
    const changes = executor.changes().at(-1)!
    expect(changes.paths.map((each) => `${each.what} ${each.path.slice(path().length + 1)}`).sort()).toEqual([
      "changed edited",
      "changed link",
      "created new",
      "created new/b",
      "deleted gone",
      "mode old/locked",
    ])
    const preview = await executor.agent().undo({ callId: "shell" })
    const lost = "what it held before is not known: a command changed it"
    for (const line of [
      `edited: ${lost}`,
      `gone: ${lost}`,
      "deleted  new/b",
      "may have changed is not known",
    ])
      expect(preview.content).toContain(line)
    expect(await apply(executor)).toMatchObject({ status: "complete" })
    expect(Object.keys(await treeOf(path()))).toEqual([
      ".",
      ".git",
      ".git/c",
      "edited",
      "link",
      "old",
      "old/locked",
      "same",
    ])
    expect(await text("edited")).toBe("editedz\n")
    expect(await readlink(path("link"))).toBe("same")
    expect((await stat(path("old/locked"))).mode).toBe(before.mode)
  })

  it("of what is too large to be kept; it is not made where the host requires that", async () => {
    for (const required of [false, true]) {
      const executor = makeExecutor({ undo: { maxBytes: 10, required } })
      await writeFile(path("large"), "0123456789 one")
      const params = { path: "large", edits: [{ old_string: "one", new_string: "two" }] }
      const result = await executor.run({ name: "edit_file", params, decision: "approve" })
      const why = `${path("large")} was not changed: its content has 14 bytes, more than are kept, so it could not be taken back`
      expect(result.isError ? result.content : await text("large")).toBe(required ? why : "0123456789 two")
      expect(await text("large")).toBe(required ? "0123456789 one" : "0123456789 two")
      await run(executor, "write_file", { path: `new ${required}`, content: "new" }, "write")
    }
  })

  it("of a watched command that changes the mode of a file with two names", async () => {
    const executor = makeExecutor({ undo: { watch: true } })
    await writeFile(path("one"), "same")
    await link(path("one"), path("two"))
    const before = await stat(path("two"))
    await run(executor, "shell", { command: "chmod 600 one" }, "shell")
    await executor.agent().undo({ callId: "shell" })
    expect(await apply(executor)).toMatchObject({ status: "complete" })
    const { ino, mode, nlink } = await stat(path("one"))
    expect({ ino, mode, nlink }).toEqual({ ino: before.ino, mode: before.mode, nlink: 2 })
  })

  it("of a watched command that changes too much; what one created before it was cancelled is found", async () => {
    const executor = makeExecutor({ undo: { watch: true } })
    await run(executor, "shell", { command: "for i in $(seq 1100); do echo > f$i; done" }, "many")
    expect(executor.changes().at(-1)).toMatchObject({
      paths: [],
      unknown: [expect.any(String), expect.stringContaining("with its 1100 changed paths of 1100 bytes")],
    })
    const running = executor.run({
      callId: "long",
      name: "shell",
      params: { command: "echo > g; sleep 100" },
      decision: "approve",
    })
    await expect.poll(() => text("g").catch(() => "")).toBe("\n")
    executor.agent().cancel()
    expect(await running).toMatchObject({ status: "cancelled" })
    expect(executor.changes().at(-1)).toMatchObject({
      callId: "long",
      paths: [{ path: path("g"), what: "created" }],
    })
  })
})

it("refuses what can be meant by nobody", () => {
  const executor = makeExecutor()
  const undo = (request: unknown) => () => executor.agent().undo(request as never)
  expect(undo(undefined)).toThrow("Expected `undo` to be given one of callId, turn, since, last, got `{  }`")
  expect(undo({ last: 1, turn: 1 })).toThrow("got `{ last, turn }`")
  expect(undo({ last: 0 })).toThrow("Expected `last` of `undo` to be a positive integer, got `0` (number)")
  expect(undo({ since: "now" })).toThrow("Expected `since` of `undo` to be epoch milliseconds or a Date")
  expect(() => executor.changes({ agent: "x" } as never)).toThrow("`changes` has no option `agent`")
  expect(() => makeExecutor({ undo: true as never })).toThrow("Expected `undo` to be an object")
})
