import { once } from "node:events"
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { useCli } from "../../cli/built-cli.ts"
import { isAlive } from "../../support/is-alive.ts"
import { Editor, type EditorOptions } from "./editor.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "stepline-acp-")))
  return () => rm(cwd, { recursive: true, force: true })
})

const open = (options: EditorOptions = {}, args: ReadonlyArray<string> = []) =>
  Editor.open([process.execPath, cli.path, "acp", "--no-discovery", ...args], cwd, options)

const shell = (command: string, more: object = {}) => ({ name: "shell", params: { command }, ...more })

describe("stepline acp", () => {
  it("shows a call from its start to its end", async () => {
    await writeFile(join(cwd, "a.txt"), "one\n")
    const editor = await open()
    expect(
      await editor.prompt("# Looks", { name: "read_file", callId: "r", params: { path: "a.txt" } }),
    ).toBe("end_turn")
    expect(editor.call("r")).toMatchObject({
      title: "Read file: a.txt",
      kind: "read",
      status: "completed",
      rawInput: { path: "a.txt" },
      locations: [{ path: join(cwd, "a.txt") }],
    })
    expect(editor.textOf("r")).toBe("   1│one")
    const [heading, ...updates] = editor.updates
    expect(heading).toMatchObject({ sessionUpdate: "agent_message_chunk", content: { text: "Looks\n" } })
    expect(updates.map((update) => "status" in update && update.status).filter(Boolean)).toEqual([
      "pending",
      "in_progress",
      "completed",
    ])
    expect(editor.asked).toEqual([])
  })

  it("sends what a command prints so far with each update", async () => {
    const editor = await open({}, ["--allow", "shell=.*"])
    const command = "echo one; until [ -e go ]; do sleep 0.05; done; echo two; exit 3"
    const ended = editor.prompt(shell(command, { callId: "s" }))
    await editor.until(() => editor.call("s").content?.length === 1)
    expect(editor.textOf("s")).toBe("one\n")
    await writeFile(join(cwd, "go"), "")
    expect(await ended).toBe("end_turn")
    expect(editor.textOf("s")).toBe("one\ntwo\n[exit code: 3]")
  })

  it("kills a command when the turn is cancelled, and ends it as cancelled", async () => {
    const editor = await open({}, ["--allow", "shell=.*"])
    const ended = editor.prompt(shell("echo $$; exec sleep 300", { callId: "s" }), shell("touch never"))
    await editor.until(() => editor.call("s").content?.length === 1)
    const pid = Number(editor.textOf("s"))
    expect(isAlive(pid)).toBe(true)
    await editor.cancel()
    expect(await ended).toBe("cancelled")
    expect(isAlive(pid)).toBe(false)
    expect(editor.call("s").status).toBe("failed")
    expect(await editor.prompt(shell("printf well", { callId: "t" }))).toBe("end_turn")
    expect(editor.textOf("t-2")).toBe("well")
    await expect(readFile(join(cwd, "never"))).rejects.toThrow("ENOENT")
  })

  it("ends what runs, and itself, when its client goes", async () => {
    const editor = await open({}, ["--allow", "shell=.*"])
    const ended = editor.prompt(shell("echo $$; exec sleep 300", { callId: "s" }))
    const lost = expect(ended).rejects.toThrow()
    await editor.until(() => editor.call("s").content?.length === 1)
    const pid = Number(editor.textOf("s"))
    const exited = once(editor.agent, "exit")
    editor.connection.close()
    editor.agent.stdin!.end()
    await lost
    await exited
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it("says what is wrong with a prompt that is no script", async () => {
    const editor = await open()
    expect(await editor.prompt("do something")).toBe("end_turn")
    expect(JSON.stringify(editor.updates)).toContain("A prompt is a script")
  })

  it("runs the file that it was given, at every prompt", async () => {
    await writeFile(join(cwd, "script.jsonl"), '{"name": "shell", "params": {"command": "printf done"}}\n')
    const editor = await open({}, ["script.jsonl"])
    for (const prompt of ["one", "two"]) expect(await editor.prompt(prompt)).toBe("end_turn")
    expect(editor.textOf("line-1")).toBe("done")
    expect(editor.textOf("line-1-2")).toBe("done")
  })

  it("refuses a session that it does not have, and a folder that is not there", async () => {
    const editor = await open()
    const { agent } = editor.connection
    const prompt = agent.request("session/prompt", { sessionId: "none", prompt: [] })
    await expect(prompt).rejects.toThrow()
    const session = agent.request("session/new", { cwd: join(cwd, "none"), mcpServers: [] })
    await expect(session).rejects.toThrow("there is no such folder")
  })
})
