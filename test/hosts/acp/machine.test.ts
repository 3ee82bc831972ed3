// @module-tag waits
import { readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { describe, expect, it, vi } from "vitest"
import { useCli } from "../../cli/built-cli.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { useShared } from "../../support/use-shared.ts"
import { Agent, type AgentOptions, type EditorOptions } from "./editor.ts"

const cli = useCli()
const path = useTempFolder()

const useAgent = (options: Omit<AgentOptions, "cwd">, args: ReadonlyArray<string> = []) =>
  useShared(() => {
    const command = [process.execPath, cli.path, "acp", "--no-discovery", ...args]
    return Agent.start(command, { cwd: tmpdir(), ...options })
  })

const shell = (command: string, more: object = {}) => ({
  name: "shell",
  params: { command },
  callId: "s",
  ...more,
})

describe("a client with terminals", () => {
  // A client starts its agent, which has what the client has, and may be given more.
  vi.stubEnv("ACP_TEST_TOKEN", "hush")
  const options = { capabilities: { terminal: true }, env: { ACP_AGENT_TOKEN: "for the agent" } }
  const agent = useAgent(options, ["--pass-env", "ACP_AGENT_TOKEN"])
  const open = async () => (await agent()).open(path())

  it("runs commands in them, and shows them in their calls", async () => {
    const editor = await open()
    await editor.prompt(shell("echo out; echo err >&2; exit 3"))
    const [{ request, isReleased, output } = expect.fail("no terminal"), ...others] = editor.terminals
    expect(others).toEqual([])
    expect(request).toMatchObject({
      command: "bash",
      args: ["-c", "echo out; echo err >&2; exit 3"],
      cwd: path(),
    })
    expect(output).toContain("out\n")
    expect(isReleased).toBe(true)
    expect(editor.call("s")).toMatchObject({
      status: "completed",
      content: [{ type: "terminal", terminalId: "0" }],
    })
  })

  it("gives the model what they showed, and the exit code", async () => {
    const editor = await open()
    const background = shell("printf '\\033[31mred\\033[0m\\r\\n'; exit 3", { background: true })
    await editor.prompt(
      background,
      { wait: "s" },
      {
        name: "get_background_task",
        callId: "g",
        params: { task_id: "s" },
      },
    )
    expect(editor.textOf("g")).toBe("Task s (shell) [Complete]:\nred\n[exit code: 3]")
    expect(editor.call("s")).toMatchObject({
      status: "completed",
      content: [{ type: "terminal", terminalId: "0" }],
    })
  })

  it("kills what runs in one, and releases it, when the turn is cancelled", async () => {
    const editor = await open()
    const ended = editor.prompt(shell("echo started; exec sleep 300"))
    await editor.until(() => editor.terminals[0]?.output === "started\n")
    await editor.cancel()
    expect(await ended).toBe("cancelled")
    const [{ exited, isReleased } = expect.fail("no terminal")] = editor.terminals
    expect(isReleased).toBe(true)
    expect(await exited).toMatchObject({ signal: "SIGKILL" })
    expect(editor.call("s").status).toBe("failed")
  })

  it("withholds variables that look like secrets from them", async () => {
    const editor = await open()
    await editor.prompt(shell('printf "[%s]" "$ACP_TEST_TOKEN"'))
    expect(editor.terminals[0]!.output).toBe("[]")
  })

  it("gives them a variable that is named, also where the client has none", async () => {
    const editor = await open()
    await editor.prompt(shell('printf "[%s]" "$ACP_AGENT_TOKEN"'))
    expect(editor.terminals[0]!.output).toBe("[for the agent]")
  })

  it("fails a call whose terminal it cannot make", async () => {
    const editor = await open()
    await rm(path(), { recursive: true })
    await editor.prompt(shell("true"))
    expect(editor.call("s").status).toBe("failed")
  })
})

describe("a client with unsaved text", () => {
  const agent = useAgent({ capabilities: { fs: { readTextFile: true, writeTextFile: true } } })
  const reader = useAgent({ capabilities: { fs: { readTextFile: true, writeTextFile: false } } })
  const open = async (options?: EditorOptions) => (await agent()).open(path(), options)

  it("has it read, and changed in its editor", async () => {
    const file = path("a.txt")
    await writeFile(file, "saved\n")
    const editor = await open({ buffers: new Map([[file, "typed\nnot saved\n"]]) })
    const edits = [{ old_string: "not saved", new_string: "changed" }]
    await editor.prompt(
      { name: "read_file", callId: "r", params: { path: "a.txt" } },
      { name: "edit_file", callId: "e", params: { path: "a.txt", edits } },
    )
    expect(editor.textOf("r")).toBe("   1│typed\n   2│not saved")
    expect(editor.call("e").status).toBe("completed")
    expect(editor.fileRequests.at(-1)).toBe(`write ${file}`)
    expect(await readFile(file, "utf8")).toBe("typed\nchanged\n")
  })

  it("keeps the line ends and the byte order mark that a file has on disk", async () => {
    const file = path("dos.txt")
    await writeFile(file, "\uFEFFone\r\ntwo\r\n")
    const editor = await open({ buffers: new Map([[file, "one\ntyped\n"]]) })
    const edits = [{ old_string: "one", new_string: "1" }]
    await editor.prompt({ name: "edit_file", callId: "e", params: { path: "dos.txt", edits } })
    expect(await readFile(file, "utf8")).toBe("\uFEFF1\r\ntyped\r\n")
  })

  it("is not asked for what is no text", async () => {
    await writeFile(path("data.bin"), Buffer.from([0, 1, 2, 255]))
    const editor = await open()
    await editor.prompt({ name: "read_file", callId: "r", params: { path: "data.bin" } })
    expect(editor.fileRequests).toEqual([])
  })

  it("that cannot write it keeps it from being saved by an edit", async () => {
    const file = path("a.txt")
    await writeFile(file, "saved\n")
    const buffers = new Map([[file, "typed\n"]])
    const editor = await (await reader()).open(path(), { buffers })
    const edit = (callId: string, old_string: string) => ({
      name: "edit_file",
      callId,
      params: { path: "a.txt", edits: [{ old_string, new_string: "new" }] },
    })
    await editor.prompt(edit("e", "typed"))
    expect(editor.textOf("e")).toBe(
      `${file} has unsaved changes in the editor. Ask the user to save it, then call this again.`,
    )
    buffers.clear()
    await editor.prompt(edit("f", "saved"))
    expect(editor.call("f-2").status).toBe("completed")
    expect(await readFile(file, "utf8")).toBe("new\n")
  })

  it("that fails to read a file keeps it as it is: it may have unsaved changes", async () => {
    const file = path("a.txt")
    await writeFile(file, "saved\n")
    const editor = await open({ failsFiles: true })
    const edits = [{ old_string: "saved", new_string: "changed" }]
    await editor.prompt({ name: "edit_file", callId: "e", params: { path: "a.txt", edits } })
    expect(editor.textOf("e")).toMatch(
      /The editor could not say whether .*a\.txt has unsaved changes: .*out of memory.*\. Try again/,
    )
    expect(await readFile(file, "utf8")).toBe("saved\n")
  })

  it("has the disk's where it gives none", async () => {
    const file = path("a.txt")
    await writeFile(file, "saved\n")
    const editor = await open({ refusesFiles: true })
    const edits = [{ old_string: "saved", new_string: "changed" }]
    await editor.prompt({ name: "edit_file", callId: "e", params: { path: "a.txt", edits } })
    expect(editor.call("e").status).toBe("completed")
    expect(await readFile(file, "utf8")).toBe("changed\n")
  })
})
