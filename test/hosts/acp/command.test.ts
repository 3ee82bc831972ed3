// @module-tag waits
import { readFile, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { useCli } from "../../cli/built-cli.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { isAlive } from "../../support/is-alive.ts"
import { useShared } from "../../support/use-shared.ts"
import { Agent } from "./editor.ts"

const cli = useCli()
const path = useTempFolder()

const start = (...args: ReadonlyArray<string>) =>
  Agent.start([process.execPath, cli.path, "acp", "--no-discovery", ...args], { cwd: path() })

const agent = useShared(() => start("--allow", "shell=.*"))
const open = async () => (await agent()).open(path())

const shell = (command: string, more: object = {}) => ({ name: "shell", params: { command }, ...more })

describe("stepline acp", () => {
  it("shows a call from its start to its end", async () => {
    await writeFile(path("a.txt"), "one\n")
    const editor = await open()
    expect(
      await editor.prompt("# Looks", { name: "read_file", callId: "r", params: { path: "a.txt" } }),
    ).toBe("end_turn")
    expect(editor.call("r")).toMatchObject({
      title: "Read file: a.txt",
      kind: "read",
      status: "completed",
      rawInput: { path: "a.txt" },
      locations: [{ path: path("a.txt") }],
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
    const editor = await open()
    const command = "echo one; until [ -e go ]; do sleep 0.05; done; echo two; exit 3"
    const ended = editor.prompt(shell(command, { callId: "s" }))
    await editor.until(() => editor.call("s").content?.length === 1)
    expect(editor.textOf("s")).toBe("one\n")
    await writeFile(path("go"), "")
    expect(await ended).toBe("end_turn")
    expect(editor.textOf("s")).toBe("one\ntwo\n[exit code: 3]")
  })

  it("kills a command when the turn is cancelled, and ends it as cancelled", async () => {
    const editor = await open()
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
    await expect(readFile(path("never"))).rejects.toThrow("ENOENT")
  })

  it("ends what runs, and itself, when its client goes", async () => {
    await using agent = await start("--allow", "shell=.*")
    const editor = await agent.open(path())
    const ended = editor.prompt(shell("echo $$; exec sleep 300", { callId: "s" }))
    const lost = expect(ended).rejects.toThrow()
    await editor.until(() => editor.call("s").content?.length === 1)
    const pid = Number(editor.textOf("s"))
    await agent[Symbol.asyncDispose]()
    await lost
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it("says what is wrong with a prompt that is no script", async () => {
    const editor = await open()
    expect(await editor.prompt("do something")).toBe("end_turn")
    expect(JSON.stringify(editor.updates)).toContain("A prompt is a script")
  })

  it("runs the file that it was given, at every prompt", async () => {
    await writeFile(path("script.jsonl"), '{"name": "shell", "params": {"command": "printf done"}}\n')
    await using agent = await start("script.jsonl")
    const editor = await agent.open(path())
    for (const prompt of ["one", "two"]) expect(await editor.prompt(prompt)).toBe("end_turn")
    expect(editor.textOf("line-1")).toBe("done")
    expect(editor.textOf("line-1-2")).toBe("done")
  })

  it("refuses a session that it does not have, and a folder that is not there", async () => {
    const { connection } = await agent()
    const prompt = connection.agent.request("session/prompt", { sessionId: "none", prompt: [] })
    await expect(prompt).rejects.toThrow()
    const session = connection.agent.request("session/new", { cwd: path("none"), mcpServers: [] })
    await expect(session).rejects.toThrow("there is no such folder")
  })
})
