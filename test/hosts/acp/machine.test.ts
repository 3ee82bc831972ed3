import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { useCli } from "../../cli/built-cli.ts"
import { Editor, type EditorOptions } from "./editor.ts"

const cli = useCli()
let cwd: string

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "stepline-acp-")))
  return () => rm(cwd, { recursive: true, force: true })
})

const open = (options: EditorOptions & { env?: NodeJS.ProcessEnv }, args: ReadonlyArray<string> = []) =>
  Editor.open([process.execPath, cli.path, "acp", "--no-discovery", ...args], cwd, options)

const shell = (command: string, more: object = {}) => ({
  name: "shell",
  params: { command },
  callId: "s",
  ...more,
})

const terminal = { terminal: true }
const unsaved = { fs: { readTextFile: true, writeTextFile: true } }

describe("a client with terminals", () => {
  it("runs commands in them, and shows them in their calls", async () => {
    const editor = await open({ capabilities: terminal })
    await editor.prompt(shell("echo out; echo err >&2; exit 3"))
    const [{ request, isReleased, output } = expect.fail("no terminal"), ...others] = editor.terminals
    expect(others).toEqual([])
    expect(request).toMatchObject({ command: "bash", args: ["-c", "echo out; echo err >&2; exit 3"], cwd })
    expect(output).toContain("out\n")
    expect(isReleased).toBe(true)
    expect(editor.call("s")).toMatchObject({
      status: "completed",
      content: [{ type: "terminal", terminalId: "0" }],
    })
  })

  it("gives the model what they showed, and the exit code", async () => {
    const editor = await open({ capabilities: terminal })
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
    const editor = await open({ capabilities: terminal })
    const ended = editor.prompt(shell("echo started; exec sleep 300"))
    await editor.until(() => editor.terminals[0]?.output === "started\n")
    await editor.cancel()
    expect(await ended).toBe("cancelled")
    const [{ child, isReleased } = expect.fail("no terminal")] = editor.terminals
    expect(child.signalCode).toBe("SIGKILL")
    expect(isReleased).toBe(true)
    expect(editor.call("s").status).toBe("failed")
  })

  it("withholds variables that look like secrets from them", async () => {
    process.env.ACP_TEST_TOKEN = "hush"
    try {
      const editor = await open({ capabilities: terminal })
      await editor.prompt(shell('printf "[%s]" "$ACP_TEST_TOKEN"'))
      expect(editor.terminals[0]!.output).toBe("[]")
    } finally {
      delete process.env.ACP_TEST_TOKEN
    }
  })

  it("gives them a variable that is named, also where the client has none", async () => {
    const options = { capabilities: terminal, env: { ACP_AGENT_TOKEN: "for the agent" } }
    const editor = await open(options, ["--pass-env", "ACP_AGENT_TOKEN"])
    await editor.prompt(shell('printf "[%s]" "$ACP_AGENT_TOKEN"'))
    expect(editor.terminals[0]!.output).toBe("[for the agent]")
  })

  it("fails a call whose terminal it cannot make", async () => {
    const editor = await open({ capabilities: terminal })
    await rm(cwd, { recursive: true })
    await editor.prompt(shell("true"))
    expect(editor.call("s").status).toBe("failed")
  })
})

describe("a client with unsaved text", () => {
  it("has it read, and changed in its editor", async () => {
    const path = join(cwd, "a.txt")
    await writeFile(path, "saved\n")
    const editor = await open({ capabilities: unsaved, buffers: new Map([[path, "typed\nnot saved\n"]]) })
    const edits = [{ old_string: "not saved", new_string: "changed" }]
    await editor.prompt(
      { name: "read_file", callId: "r", params: { path: "a.txt" } },
      { name: "edit_file", callId: "e", params: { path: "a.txt", edits } },
    )
    expect(editor.textOf("r")).toBe("   1│typed\n   2│not saved")
    expect(editor.call("e").status).toBe("completed")
    expect(editor.fileRequests.at(-1)).toBe(`write ${path}`)
    expect(await readFile(path, "utf8")).toBe("typed\nchanged\n")
  })

  it("keeps the line ends and the byte order mark that a file has on disk", async () => {
    const path = join(cwd, "dos.txt")
    await writeFile(path, "\uFEFFone\r\ntwo\r\n")
    const editor = await open({ capabilities: unsaved, buffers: new Map([[path, "one\ntyped\n"]]) })
    const edits = [{ old_string: "one", new_string: "1" }]
    await editor.prompt({ name: "edit_file", callId: "e", params: { path: "dos.txt", edits } })
    expect(await readFile(path, "utf8")).toBe("\uFEFF1\r\ntyped\r\n")
  })

  it("is not asked for what is no text", async () => {
    await writeFile(join(cwd, "data.bin"), Buffer.from([0, 1, 2, 255]))
    const editor = await open({ capabilities: unsaved })
    await editor.prompt({ name: "read_file", callId: "r", params: { path: "data.bin" } })
    expect(editor.fileRequests).toEqual([])
  })

  it("that cannot write it keeps it from being saved by an edit", async () => {
    const path = join(cwd, "a.txt")
    await writeFile(path, "saved\n")
    const buffers = new Map([[path, "typed\n"]])
    const editor = await open({ capabilities: { fs: { readTextFile: true, writeTextFile: false } }, buffers })
    const edit = (callId: string, old_string: string) => ({
      name: "edit_file",
      callId,
      params: { path: "a.txt", edits: [{ old_string, new_string: "new" }] },
    })
    await editor.prompt(edit("e", "typed"))
    expect(editor.textOf("e")).toBe(
      `${path} has unsaved changes in the editor. Ask the user to save it, then call this again.`,
    )
    buffers.clear()
    await editor.prompt(edit("f", "saved"))
    expect(editor.call("f-2").status).toBe("completed")
    expect(await readFile(path, "utf8")).toBe("new\n")
  })

  it("has the disk's where it gives none", async () => {
    const path = join(cwd, "a.txt")
    await writeFile(path, "saved\n")
    const editor = await open({ capabilities: unsaved, refusesFiles: true })
    const edits = [{ old_string: "saved", new_string: "changed" }]
    await editor.prompt({ name: "edit_file", callId: "e", params: { path: "a.txt", edits } })
    expect(editor.call("e").status).toBe("completed")
    expect(await readFile(path, "utf8")).toBe("changed\n")
  })
})
