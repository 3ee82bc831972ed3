// @module-tag waits
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { IdeClosePreview, IdeShowPreview } from "../../../src/handlers/index.ts"
import { NvimHost } from "../../../src/hosts/nvim/index.ts"
import { editFileTool, writeFileTool } from "../../../src/impls/index.ts"
import { defineTool, pipeline, type ToolEvent, ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { describeWith } from "../../support/needs.ts"
import { type Editor, openEditor } from "./editor.ts"

const executorOf = ({ host, folder }: Editor): ToolExecutor => {
  const registry = new ToolRegistry([editFileTool, writeFileTool])
  const executor = new ToolExecutor(registry, { cwd: folder, delegates: host.delegates })
  onTestFinished(() => executor.shutdown())
  return executor
}

const edit = (old_string: string, new_string: string, more: object = {}) => ({
  name: "edit_file",
  params: { path: "a.txt", edits: [{ old_string, new_string }] },
  ...more,
})

const next = async <Tag extends ToolEvent["_tag"]>(
  executor: ToolExecutor,
  tag: Tag,
): Promise<Extract<ToolEvent, { _tag: Tag }>> => {
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    if (event._tag === tag) return event as Extract<ToolEvent, { _tag: Tag }>
    if (event._tag === "Error") throw new Error(event.content)
  }
  throw new Error(`There is no ${tag} any more`)
}

describeWith("nvim")("edit_file with Neovim as its editor", () => {
  test("shows the diff while it waits for approval, then writes, reloads and gives the place back", async () => {
    const editor = await openEditor()
    const { nvim, file } = editor
    const path = await file("a.txt", "one\ntwo\nthree\n")
    await nvim.edit(path)
    await nvim.command("normal! 3G2l")
    const executor = executorOf(editor)
    executor.enqueue([edit("two", "2")])
    const gate = await next(executor, "AwaitingApproval")
    expect((await nvim.screen()).windows.map(({ lines }) => lines)).toEqual([
      ["one", "two", "three"],
      ["one", "2", "three"],
    ])
    gate.approve()
    expect((await next(executor, "Completed")).cleanupErrors).toBeUndefined()
    expect(await readFile(path, "utf8")).toBe("one\n2\nthree\n")
    expect(await nvim.screen()).toMatchObject({
      tabs: 1,
      windows: [{ name: path, lines: ["one", "2", "three"], cursor: [3, 3], modified: false }],
    })
  })

  test("a denial closes the diff and leaves file and buffer as they were", async () => {
    const editor = await openEditor()
    const { nvim, file } = editor
    const path = await file("a.txt", "one\n")
    await nvim.edit(path)
    const before = await nvim.screen()
    const executor = executorOf(editor)
    executor.enqueue([edit("one", "1")])
    const gate = await next(executor, "AwaitingApproval")
    gate.deny()
    await next(executor, "Denied")
    expect(await nvim.screen()).toEqual(before)
    expect(await readFile(path, "utf8")).toBe("one\n")
  })

  test("unsaved changes stop it before anything is shown", async () => {
    const editor = await openEditor()
    const { nvim, file } = editor
    const path = await file("a.txt", "one\n")
    await nvim.edit(path)
    await nvim.type("ix<Esc>")
    const result = await executorOf(editor).run({ ...edit("one", "1"), decision: "approve" })
    expect(result).toMatchObject({
      status: "error",
      content: `${path} has unsaved changes in Neovim. Save them there with :w, or discard them with :e!, and try again.`,
    })
    expect((await nvim.screen()).tabs).toBe(1)
    expect(await readFile(path, "utf8")).toBe("one\n")
  })

  test("changes that the user makes while it waits are kept, and told", async () => {
    const editor = await openEditor()
    const { nvim, file } = editor
    const path = await file("a.txt", "one\n")
    await nvim.edit(path)
    const executor = executorOf(editor)
    executor.enqueue([edit("one", "1")])
    const gate = await next(executor, "AwaitingApproval")
    await nvim.type("gtiuser's <Esc>")
    gate.approve()
    const { cleanupErrors } = await next(executor, "Completed")
    expect(cleanupErrors).toEqual([expect.stringContaining(`${path} was not reloaded`)])
    expect((await nvim.screen()).windows).toMatchObject([{ lines: ["user's one"], modified: true }])
    expect(await readFile(path, "utf8")).toBe("1\n")
  })

  test("edits of two agents are shown one after the other", async () => {
    const editor = await openEditor()
    const { nvim, file } = editor
    await file("a.txt", "one\ntwo\n")
    const executor = executorOf(editor)
    executor.enqueue([edit("one", "1", { agentId: "a" }), edit("two", "2", { agentId: "b" })])
    const proposed = async () => (await nvim.screen()).windows.at(-1)!.lines
    const first = await next(executor, "AwaitingApproval")
    expect(await proposed()).toEqual(first.agentId === "a" ? ["1", "two"] : ["one", "2"])
    first.approve()
    const second = await next(executor, "AwaitingApproval")
    expect(second.agentId).not.toBe(first.agentId)
    // Against the file as the first one left it.
    expect(await proposed()).toEqual(["1", "2"])
    second.deny()
    await next(executor, "Denied")
    expect((await nvim.screen()).tabs).toBe(1)
  })

  test("a cancelled call takes its preview with it", async () => {
    const editor = await openEditor()
    const { nvim, folder } = editor
    const executor = executorOf(editor)
    executor.enqueue([{ name: "write_file", params: { path: "new.txt", content: "new\n" } }])
    await next(executor, "AwaitingApproval")
    expect((await nvim.screen()).windows).toMatchObject([{ lines: ["new"] }])
    executor.cancel()
    await next(executor, "Cancelled")
    expect((await nvim.screen()).tabs).toBe(1)
    await expect(readFile(join(folder, "new.txt"))).rejects.toThrow("ENOENT")
  })

  test("goes on without the editor when that exits at the gate", async () => {
    const editor = await openEditor()
    const { nvim, file } = editor
    const path = await file("a.txt", "one\n")
    const executor = executorOf(editor)
    executor.enqueue([edit("one", "1")])
    const gate = await next(executor, "AwaitingApproval")
    await nvim.quit()
    gate.approve()
    expect((await next(executor, "Completed")).cleanupErrors).toBeUndefined()
    expect(await readFile(path, "utf8")).toBe("1\n")
  })
})

describeWith("nvim")("previews that calls staged, with Neovim as the editor", () => {
  const draft = defineTool({
    name: "draft",
    description: "Shows a file, and leaves it to resolve.",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    compose: (params) => {
      const { path } = params as { path: string }
      return pipeline()
        .andThen(IdeShowPreview({ path, content: path }))
        .awaitResolve({ label: `Draft ${path}` })
        .finally(IdeClosePreview())
    },
  })

  test("are closed each with its own action, beside a call of the same agent that shows one", async () => {
    const { host, nvim, folder } = await openEditor({ previewWait: 0 })
    const executor = new ToolExecutor(new ToolRegistry([draft, writeFileTool]), {
      cwd: folder,
      delegates: host.delegates,
    })
    onTestFinished(() => executor.shutdown())
    const shown = async () => (await nvim.screen()).windows.map(({ lines }) => lines)
    await executor.run({ name: "draft", params: { path: "one" } })
    await executor.run({ name: "draft", params: { path: "two" } })
    executor.enqueue([{ name: "write_file", params: { path: "new", content: "new" } }])
    const gate = await next(executor, "AwaitingApproval")
    expect(await shown()).toEqual([["one"]])
    // The latest is discarded first; the preview of the first stays.
    await executor.agent().resolve({ action: "discard", reason: "no" })
    expect(await shown()).toEqual([["one"]])
    await executor.agent().resolve({ action: "apply", reason: "yes" })
    await nvim.until("return vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] == 'new'")
    gate.deny()
    await next(executor, "Denied")
    expect((await nvim.screen()).tabs).toBe(1)
  })
})

test("an option that no time can be meant by is refused", () => {
  expect(() => new NvimHost({ requestTimeout: -1 })).toThrow(
    'Expected `requestTimeout` to be a duration such as `"5 seconds"`, or milliseconds, got `-1` (number)',
  )
  expect(() => new NvimHost({ previewWait: Number.NaN })).toThrow("Expected `previewWait`")
})
