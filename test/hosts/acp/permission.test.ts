// @module-tag waits
import { readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { describe, expect, it } from "vitest"
import { useCli } from "../../cli/built-cli.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { useShared } from "../../support/use-shared.ts"
import { Agent, type Answer, type EditorOptions } from "./editor.ts"

const cli = useCli()
const path = useTempFolder()

const agent = useShared(() => {
  const command = [process.execPath, cli.path, "acp", "--no-discovery", "--deny", "write_file=denied"]
  return Agent.start(command, { cwd: tmpdir() })
})

const open = async (options?: EditorOptions) => (await agent()).open(path(), options)

const echo = (callId: string, text = "hi") => ({
  name: "shell",
  callId,
  params: { command: `printf ${text}` },
})

describe("a permission", () => {
  it("tells all of the call, why it is asked, and what each answer means", async () => {
    const editor = await open()
    expect(await editor.prompt(echo("a"))).toBe("end_turn")
    const { toolCall, options } = editor.asked[0]!
    expect(toolCall).toMatchObject({
      toolCallId: "a",
      title: "Shell: printf hi",
      kind: "execute",
      status: "pending",
      rawInput: { command: "printf hi" },
    })
    expect(toolCall.content).toEqual(
      ['{\n  "command": "printf hi"\n}', "There is no rule for the tool `shell`."].map((text) => ({
        type: "content",
        content: { type: "text", text },
      })),
    )
    expect(options).toEqual([
      { optionId: "allow_once", kind: "allow_once", name: "Allow" },
      { optionId: "allow_always", kind: "allow_always", name: "Always allow this very call, and no other" },
      { optionId: "reject_once", kind: "reject_once", name: "Reject" },
      { optionId: "reject_always", kind: "reject_always", name: "Reject this call from now on" },
    ])
  })

  it("is asked for a nested call in a tool call of its own", async () => {
    const command = [process.execPath, cli.path, "acp", "--no-discovery", "--code", "--allow", "run_code=."]
    await using own = await Agent.start(command, { cwd: tmpdir() })
    const editor = await own.open(path())
    const source = 'return await tools.shell({ command: "printf hi" })'
    expect(await editor.prompt({ name: "run_code", callId: "c", params: { source } })).toBe("end_turn")
    expect(editor.asked.map(({ toolCall }) => toolCall.toolCallId)).toEqual(["c/1"])
    expect(editor.call("c/1")).toMatchObject({ status: "completed", rawInput: { command: "printf hi" } })
    expect(editor.call("c").status).toBe("completed")
  })

  it("hides nothing that the model wrote", async () => {
    const editor = await open({ answer: () => "reject_once" })
    await editor.prompt({ name: "shell", params: { command: "ls\u202e #\u001b[2K" } })
    const shown = JSON.stringify(editor.asked[0]!.toolCall.content) + editor.asked[0]!.toolCall.title
    expect(shown).not.toMatch(/\u202e|\u001b/)
    expect(shown).toContain("⟦U+202E⟧")
  })

  it("asks again after allow_once, and never again after allow_always", async () => {
    const answers: Array<Answer> = ["allow_once", "allow_always"]
    const editor = await open({ answer: () => answers.shift()! })
    await editor.prompt(echo("a"), echo("b"), echo("c"), echo("d", "other"))
    expect(editor.asked.map(({ toolCall }) => toolCall.toolCallId)).toEqual(["a", "b", "d"])
    for (const id of ["a", "b", "c"]) expect(editor.call(id).status).toBe("completed")
    expect(editor.textOf("c")).toBe("hi")
    // The third one's question has no answer.
    expect(editor.call("d").status).toBe("completed")
  })

  it("asks again after reject_once, and never again after reject_always", async () => {
    const answers: Array<Answer> = ["reject_once", "reject_always"]
    const editor = await open({ answer: () => answers.shift()! })
    await editor.prompt(echo("a"), echo("b"), echo("c"))
    expect(editor.asked).toHaveLength(2)
    expect(editor.call("a").status).toBe("failed")
    expect(editor.textOf("a")).toBe("Denied by user")
    const forGood =
      "The user has rejected this call for the rest of the session. Do not repeat it: do something else, or ask what is wanted."
    expect(editor.textOf("b")).toBe(forGood)
    expect(editor.textOf("c")).toBe(forGood)
    expect(editor.call("c").status).toBe("failed")
  })

  it("denies what is answered with an option that was not offered", async () => {
    const editor = await open({ answer: () => ({ optionId: "yes" }) })
    await editor.prompt(echo("a"))
    expect(editor.call("a").status).toBe("failed")
    expect(editor.textOf("a")).toBe('The client answered with the option "yes", which was not offered')
  })

  it("denies what the client cannot ask", async () => {
    const editor = await open({ answer: () => Promise.reject(new Error("no window")) })
    await editor.prompt(echo("a"))
    expect(editor.call("a").status).toBe("failed")
  })

  it("cancels the call that it is about, where it was cancelled", async () => {
    const editor = await open({ answer: () => "cancelled" })
    expect(await editor.prompt(echo("a"), { name: "list_background_tasks", callId: "b" })).toBe("end_turn")
    expect(editor.call("a").status).toBe("failed")
    expect(editor.textOf("a")).toMatch(/^Cancelled/)
    expect(editor.call("b").status).toBe("completed")
  })

  it("for what a preview would change shows its tool and the diff, once", async () => {
    await writeFile(path("a.ts"), "foo(1)\n")
    const editor = await open({ answer: () => "reject_once" })
    const params = { ops: [{ pattern: "foo($A)", replacement: "bar($A)" }], paths: ["a.ts"] }
    const resolve = { name: "resolve", callId: "r", params: { action: "apply", reason: "good" } }
    await editor.prompt({ name: "ast_edit", params }, resolve)
    const [{ toolCall }] = editor.asked as [(typeof editor.asked)[0]]
    expect(toolCall).toMatchObject({
      toolCallId: "r",
      title: "Structural edit",
      kind: "edit",
      rawInput: params,
    })
    expect(JSON.stringify(toolCall.content).split("-foo(1)\\n+bar(1)")).toHaveLength(2)
    expect(editor.call("r").status).toBe("failed")
    expect(await readFile(path("a.ts"), "utf8")).toBe("foo(1)\n")
  })

  it("does not hold up a turn that is cancelled", async () => {
    const editor = await open({ answer: () => new Promise(() => {}) })
    const ended = editor.prompt(echo("a"))
    await editor.until(() => editor.asked.length === 1)
    await editor.cancel()
    expect(await ended).toBe("cancelled")
    expect(editor.call("a").status).toBe("failed")
  })

  it("is not asked for what a rule denies", async () => {
    const editor = await open()
    await editor.prompt({ name: "write_file", callId: "a", params: { path: "denied", content: "" } })
    expect(editor.asked).toEqual([])
    expect(editor.call("a").status).toBe("failed")
  })
})

describe("a change", () => {
  it("is shown as a diff for each edit, before it is asked about and after", async () => {
    const file = path("a.txt")
    await writeFile(file, "one\ntwo\nthree\n")
    const editor = await open()
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "three", new_string: "3" },
    ]
    await editor.prompt({ name: "edit_file", callId: "e", params: { path: "a.txt", edits } })
    const diffs = [
      { type: "diff", path: file, oldText: "one", newText: "1" },
      { type: "diff", path: file, oldText: "three", newText: "3" },
    ]
    expect(editor.asked[0]!.toolCall.content!.slice(0, 2)).toEqual(diffs)
    expect(editor.call("e").content.slice(0, 2)).toEqual(diffs)
    expect(editor.call("e")).toMatchObject({ kind: "edit", status: "completed", locations: [{ path: file }] })
    expect(editor.textOf("e")).toBe("Successfully applied 2 edit(s) to a.txt")
    expect(await readFile(file, "utf8")).toBe("1\ntwo\n3\n")
  })

  it("is shown as a diff to nothing where a file is made", async () => {
    const editor = await open()
    await editor.prompt({ name: "write_file", callId: "w", params: { path: "b/c.txt", content: "new\n" } })
    const diff = { type: "diff", path: path("b/c.txt"), oldText: null, newText: "new\n" }
    expect(editor.asked[0]!.toolCall.content![0]).toEqual(diff)
    expect(editor.call("w").content[0]).toEqual(diff)
    expect(await readFile(path("b/c.txt"), "utf8")).toBe("new\n")
  })
})
