// @module-tag waits
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Libsql from "libsql"
import type { Page } from "playwright-core"
import { expect, it, onTestFinished } from "vitest"
import {
  type DurableExecutor,
  type DurableOptions,
  type InboxItem,
  openDurableExecutor,
} from "../../../src/durable/index.ts"
import { serveWeb, type WebOptions } from "../../../src/hosts/web/index.ts"
import { editFileTool } from "../../../src/impls/index.ts"
import {
  defineTool,
  noIde,
  pipeline,
  Step,
  type Tool,
  ToolFilters,
  ToolRegistry,
} from "../../../src/index.ts"
import { describeWith } from "../../support/needs.ts"
import { lines, openCall, panel } from "./calls-page.ts"
import { card, inbox, press, settled } from "./inbox-page.ts"
import { usePages } from "./pages.ts"
import { change, note, streaming, twice } from "./tools.ts"

const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" })

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "stepline-web-store-"))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Runs the calls of a store. */
const run = async (
  store: string,
  tools: ReadonlyArray<Tool>,
  filters = ToolFilters.compile({}),
  options: DurableOptions = {},
): Promise<DurableExecutor> => {
  const runner = await openDurableExecutor({ store, registry: new ToolRegistry(tools), filters, ...options })
  const { executor } = runner
  const answered = (async () => {
    for await (const event of executor.events) if (event._tag === "Delegate") event.succeed()
  })()
  onTestFinished(async () => {
    await runner.close()
    await answered
  })
  return runner
}

/** The page of a store, as a process has it that runs none of its calls. */
const page = async (store: string, options: WebOptions = {}) => {
  const client = await openDurableExecutor({ store, runner: false })
  const web = await serveWeb(client, { title: "a store", ...options })
  onTestFinished(async () => {
    await web.close()
    await client.close()
  })
  return { web, client }
}

const events = async (runner: DurableExecutor, tag: string): Promise<Record<string, unknown>> => {
  for await (const event of runner.events()) if (event._tag === tag) return event as never
  throw new Error(`There was no ${tag}`)
}

const endOf = async (runner: DurableExecutor, callId: string): Promise<void> => {
  for await (const event of runner.events())
    if ((event._tag === "BackgroundCompleted" || event._tag === "Completed") && event.callId === callId)
      return
}

describeWith("chromium")("the page of a store", () => {
  const pages = usePages()

  it("shows what another process runs, and takes an approval, an edit and a denial", async () => {
    const store = join(await folder(), "calls.db")
    const runner = await run(store, [note])
    await runner.enqueue([
      { callId: "a", name: "note", agentId: "cook", params: { text: "buy milk" } },
      { callId: "b", name: "note", agentId: "maid", params: { text: "sweep" } },
      { callId: "c", name: "note", agentId: "boy", params: { text: "run" }, decision: "requested" },
    ])
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    await shown.getByText("run by another process").waitFor()
    const question = card(shown, "note: buy milk")
    await question.getByText("Write it down?").waitFor()
    await question.getByText("There is no rule for the tool `note`.").waitFor()
    await question.getByText("looked").waitFor()
    await settled(shown)
    await question.getByRole("button", { name: "Approve" }).click()
    expect(await events(runner, "Completed")).toMatchObject({ callId: "a", decidedBy: { kind: "user" } })
    await question.waitFor({ state: "detached" })
    await settled(shown)
    const other = card(shown, "note: sweep")
    await other.getByRole("button", { name: "Edit…" }).click()
    await other.getByLabel("Parameters as JSON").fill('{ "text": "wash" }')
    await other.getByRole("button", { name: "Approve with these" }).click()
    await other.waitFor({ state: "detached" })
    await settled(shown)
    // It is held, and asked before it begins.
    await card(shown, "note: run").getByRole("button", { name: "Deny…" }).click()
    await shown.keyboard.type("no hurry")
    await shown.keyboard.press("Enter")
    expect(await events(runner, "Denied")).toMatchObject({ callId: "c", content: "no hurry" })
    await inbox(shown).getByText("Nothing waits for you.").waitFor()
    expect(await runner.result("b")).toMatchObject({ editedParams: { text: "wash" } })
    await lines(shown, /^notewash/).waitFor()
    expect(await shown.getByRole("button", { name: "Call a tool" }).count()).toBe(0)
  })

  it("has a call taken back by the process that runs the calls", async () => {
    const cwd = await folder()
    const store = join(cwd, "calls.db")
    await writeFile(join(cwd, "a.txt"), "one\n")
    const runner = await run(store, [editFileTool, note], undefined, { cwd, delegates: noIde })
    const edits = [{ old_string: "one", new_string: "two" }]
    const params = { path: "a.txt", edits }
    await runner.enqueue([{ callId: "edit", name: "edit_file", params, decision: "approve" }])
    await runner.enqueue([{ callId: "n", name: "note", params: { text: "t" }, decision: "approve" }])
    await endOf(runner, "n")
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    const undo = panel(shown).getByRole("button", { name: "Undo…" })
    await openCall(shown, "note")
    await undo.click()
    await panel(shown)
      .getByText('No change of call "n" is recorded: there was no such call, or it changed nothing.')
      .waitFor()
    await openCall(shown, "edit_file")
    await undo.click()
    const preview = card(shown, "Preview: Take back")
    await preview.getByText("+one").waitFor()
    await settled(shown)
    await preview.getByRole("button", { name: "Apply" }).click()
    await inbox(shown).getByText("Nothing waits for you.").waitFor()
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one\n")
  })

  it("shows what happened before it was opened, and says what it cannot know", async () => {
    const store = join(await folder(), "calls.db")
    const runner = await run(store, [note])
    await runner.enqueue([{ callId: "a", name: "note", params: { text: "first" } }])
    await events(runner, "AwaitingApproval")
    await runner.approve("a")
    await events(runner, "Completed")
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    await timeline(shown).getByText("1", { exact: true }).waitFor()
    await shown.getByRole("application").focus()
    await shown.keyboard.press("ArrowRight")
    await shown.keyboard.press("Enter")
    await panel(shown).getByText('noted {"text":"first"}').waitFor()
    await panel(shown).getByText("a person", { exact: true }).waitFor()
    await panel(shown)
      .getByText(
        "Another process runs this call. Its handlers, and what it puts out while it runs, are known there alone.",
      )
      .waitFor()
    expect(await panel(shown).locator(".plan").count()).toBe(0)
  })

  it("remembers what the process that runs the call makes of it", async () => {
    const store = join(await folder(), "calls.db")
    const filters = ToolFilters.compile({})
    const runner = await run(store, [note], filters)
    await runner.enqueue([{ callId: "a", name: "note", params: { text: "a.b" } }])
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    await press(shown, "Always…")
    await inbox(shown)
      .getByText("The process that runs the call makes the rule of it. It cannot be shown here.")
      .waitFor()
    await inbox(shown).getByLabel("A pattern of your own").fill("^a(")
    await press(shown, "Use this pattern")
    await inbox(shown)
      .getByText("The pattern ^a( does not compile: Unterminated group. Nothing was approved.")
      .waitFor()
    expect(runner.executor.inspectCall("a")?.state).toBe("waiting")
    await inbox(shown)
      .getByRole("button", { name: /^This very call/ })
      .click()
    await events(runner, "Completed")
    expect(filters.evaluate(note, { text: "a.b" })).toBe("approve")
    expect(filters.evaluate(note, { text: "aXb" })).toBeUndefined()
  })

  it("applies and discards previews, each with its diff, the latest first, and none that was not seen", async () => {
    const store = join(await folder(), "calls.db")
    const runner = await run(store, [change])
    await runner.enqueue([
      { callId: "a", name: "change", params: { to: "one" } },
      { callId: "b", name: "change", params: { to: "two" } },
    ])
    const { web } = await page(store, { who: () => "ann" })
    const shown = await pages.open(web.url)
    const first = card(shown, "Preview: Change a.txt to one")
    await first.getByText("Decide about the newer preview of this agent first.").waitFor()
    const second = card(shown, "Preview: Change a.txt to two")
    await second.locator(".diff").getByText("+two").waitFor()
    await settled(shown)
    await second.getByRole("button", { name: "Discard" }).click()
    await second.waitFor({ state: "detached" })
    await settled(shown)
    await first.getByRole("button", { name: "Apply" }).click()
    await inbox(shown).getByText("Nothing waits for you.").waitFor()
    expect(runner.executor.agent().pendingActions.list()).toEqual([])
    expect(await events(runner, "ActionResolved")).toMatchObject({ decidedBy: { kind: "user", id: "ann" } })
    // The two that staged them, and those that resolved them.
    await timeline(shown).getByText("4", { exact: true }).waitFor()
  })

  it("shows what a background task has staged, and applies it, unless its result was taken", async () => {
    const store = join(await folder(), "calls.db")
    const runner = await run(store, [change])
    const stage = async (callId: string, agentId: string) => {
      const ended = endOf(runner, callId)
      await runner.enqueue([{ callId, agentId, name: "change", params: { to: callId }, background: true }])
      await ended
    }
    await stage("kept", "a")
    await stage("taken", "b")
    await runner.tasks.take("taken")
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    const taken = card(shown, "Preview: Change a.txt to taken")
    await taken.getByText("This cannot be shown whole, so it cannot be applied here.").waitFor()
    expect(await taken.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true)
    const kept = card(shown, "Preview: Change a.txt to kept")
    await kept.locator(".diff").getByText("+kept").waitFor()
    await settled(shown)
    await kept.getByRole("button", { name: "Apply" }).click()
    await kept.waitFor({ state: "detached" })
    await settled(shown)
    await taken.getByRole("button", { name: "Discard" }).click()
    await inbox(shown).getByText("Nothing waits for you.").waitFor()
    const take = panel(shown).getByRole("button", { name: "Take", exact: true })
    await openCall(shown, /b, background/)
    expect(await take.count()).toBe(0)
    await openCall(shown, /a, background/)
    await panel(shown).getByText("+kept").waitFor()
    await take.click()
    await take.waitFor({ state: "detached" })
    expect(await runner.tasks.list()).toEqual([])
  })

  it("cancels what runs, takes the result of a task, and sends nothing to the background", async () => {
    const store = join(await folder(), "calls.db")
    const { tool, release } = streaming()
    onTestFinished(release)
    const runner = await run(store, [tool])
    await runner.enqueue([
      { callId: "a", name: "stream", params: { text: "a" } },
      { callId: "b", name: "stream", params: { text: "b" }, background: true },
    ])
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    await lines(shown, "running").nth(1).waitFor()
    await openCall(shown, /mainrunning/)
    await panel(shown).getByRole("button", { name: "Cancel" }).click()
    expect(await panel(shown).getByRole("button", { name: "Background" }).count()).toBe(0)
    expect(await events(runner, "Cancelled")).toMatchObject({ callId: "a" })
    await openCall(shown, /main, background/)
    release()
    await panel(shown).getByText("streamed it all").waitFor()
    await panel(shown).getByRole("button", { name: "Take", exact: true }).click()
    await panel(shown).getByText("Taken: the executor keeps its result no longer.").waitFor()
  })

  it("keeps an answer while nobody runs the calls, and says so", async () => {
    const store = join(await folder(), "calls.db")
    const first = await run(store, [note])
    await first.enqueue([{ callId: "a", name: "note", params: { text: "a" } }])
    await events(first, "AwaitingApproval")
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    await card(shown, "note: a").getByText("Write it down?").waitFor()
    await first.close()
    await card(shown, "note: a").getByRole("button", { name: "Approve" }).click()
    await card(shown, "note: a")
      .getByText("Your answer is stored. It waits for a process that runs these calls.")
      .waitFor()
    expect(await card(shown, "note: a").getByRole("button", { name: "Approve" }).count()).toBe(0)
    const second = await run(store, [note])
    expect(await events(second, "Completed")).toMatchObject({ callId: "a" })
    await inbox(shown).getByText("Nothing waits for you.").waitFor()
    // Told again by the second process: still one call.
    await timeline(shown).getByText("1", { exact: true }).waitFor()
  })

  it("does not take an answer to one gate for one to the next", async () => {
    const store = join(await folder(), "calls.db")
    const runner = await run(store, [twice])
    await runner.enqueue([{ callId: "a", name: "twice" }])
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    await card(shown, "twice").getByText("The first?").waitFor()
    // The answer is on its way while somebody else gives one.
    await shown.context().route("**/api/*/answer", async (route) => {
      await runner.approve("a")
      // Once the page's server knows of that: before, the store itself refuses the answer.
      await card(shown, "twice").getByText("The second?").waitFor()
      await route.continue()
    })
    await press(shown, "Approve")
    await inbox(shown).getByText("This was answered elsewhere, or its call has ended.").waitFor()
    await card(shown, "twice").getByText("The second?").waitFor()
    expect(runner.executor.inspectCall("a")?.state).toBe("waiting")
  })

  it("shows an effect that no host carries out, and takes a value for it, or a refusal", async () => {
    const timeout = Number.POSITIVE_INFINITY
    const measure = defineTool({
      name: "measure",
      description: "Has its host measure something.",
      parameters: { type: "object", properties: { what: { type: "string" } } } as const,
      compose: ({ what }) =>
        pipeline()
          .andThen(() => Step.Delegate({ _tag: "Measure", what, places: 2 }, { timeout }))
          .andThen(({ output }) => Step.Output(`structured: ${JSON.stringify(output?.structured)}`)),
    })
    const store = join(await folder(), "calls.db")
    const runner = await openDurableExecutor({ store, registry: new ToolRegistry([measure]) })
    onTestFinished(() => runner.close())
    const names = ["height", "width", "depth", "x".repeat(2_000_001)]
    await runner.enqueue(
      names.map((what, index) => ({
        callId: `c${index}`,
        agentId: `a${index}`,
        name: "measure",
        params: { what },
      })),
    )
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    const height = card(shown, "Measure of measure: height")
    await height.getByText("Its host is to carry out Measure:").waitFor()
    expect(await height.locator("dl").textContent()).toBe("whatheightplaces2")
    await card(shown, "Measure of measure: xxx").getByText("so it can only be refused here").waitFor()
    await settled(shown)
    await height.getByLabel("What it gives, as JSON").fill("{ 7")
    await height.getByRole("button", { name: "Answer" }).click()
    await height.getByText("That is not JSON: put texts in quotes.").waitFor()
    await height.getByLabel("What it gives, as JSON").fill('{ "metres": 7 }')
    await height.getByRole("button", { name: "Answer" }).click()
    await height.waitFor({ state: "detached" })
    await expect.poll(() => runner.result("c0")).toMatchObject({ content: 'structured: {"metres":7}' })
    await settled(shown)
    const width = card(shown, "Measure of measure: width")
    await width.getByRole("button", { name: "Refuse…" }).click()
    await shown.keyboard.type("no ruler")
    await shown.keyboard.press("Enter")
    await width.waitFor({ state: "detached" })
    await expect.poll(() => runner.result("c1")).toMatchObject({ _tag: "Error", content: "no ruler" })
    await settled(shown)
    const long = card(shown, "Measure of measure: xxx")
    expect(await long.getByRole("button", { name: "Answer" }).isDisabled()).toBe(true)
    await long.getByRole("button", { name: "Refuse…" }).click()
    await long.getByRole("button", { name: "Refuse", exact: true }).click()
    await long.waitFor({ state: "detached" })
    await expect
      .poll(() => runner.result("c3"))
      .toMatchObject({ _tag: "Error", content: "Refused by the user" })
    // What somebody else answers is not asked any more.
    expect(await runner.respond("c2", {})).toBe(true)
    await inbox(shown).getByText("Nothing waits for you.").waitFor()
  })

  it("takes for each question what answers it, and nothing else", async () => {
    const ask = defineTool({
      name: "ask",
      description: "Asks its host.",
      parameters: { type: "object", properties: {} } as const,
      compose: () =>
        pipeline().andThen(() => Step.Delegate({ _tag: "Ask" }, { timeout: Number.POSITIVE_INFINITY })),
    })
    const store = join(await folder(), "calls.db")
    const runner = await openDurableExecutor({ store, registry: new ToolRegistry([ask, note]) })
    onTestFinished(() => runner.close())
    await runner.enqueue([
      { callId: "a", agentId: "a", name: "ask" },
      { callId: "b", agentId: "b", name: "note", params: { text: "b" } },
    ])
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    await card(shown, "Ask of ask: Ask").waitFor()
    await card(shown, "note: b").waitFor()
    const [effect, gate] = await runner.inbox()
    const idOf = ({ seq, kind, askedAt }: InboxItem) => `${seq}.${kind}.${askedAt}`
    const answer = (body: object) =>
      shown.evaluate(`(async () => {
        const response = await fetch(sessionStorage.getItem("stepline") + "/answer", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: ${JSON.stringify(JSON.stringify(body))},
        })
        return response.json()
      })()`)
    const refused = { took: false, message: "This is no answer to that question." }
    expect(await answer({ ids: [idOf(effect!)], verdict: "approve" })).toEqual(refused)
    expect(await answer({ ids: [idOf(gate!)], verdict: "respond", value: 1 })).toEqual(refused)
    expect(await runner.inbox()).toHaveLength(2)
    expect(await answer({ ids: [idOf(effect!)], verdict: "respond", value: "a text" })).toEqual({
      took: true,
    })
    await expect.poll(() => runner.result("a")).toMatchObject({ content: "a text" })
  })

  it("shows what stands in the inbox behind a question that cannot be read", async () => {
    const store = join(await folder(), "calls.db")
    const runner = await run(store, [note])
    const calls = Array.from({ length: 101 }, (_, index) => ({
      callId: `c${index}`,
      name: "note",
      agentId: `a${index}`,
      params: { text: `${index}` },
    }))
    await runner.enqueue(calls)
    let asked = 0
    for await (const event of runner.events()) {
      if (event._tag === "AwaitingApproval") asked += 1
      if (asked === calls.length) break
    }
    const database = new Libsql(store)
    database.exec("UPDATE calls SET snapshot = '{' WHERE call_id = 'c0'")
    database.close()
    const { web } = await page(store)
    const shown = await pages.open(web.url)
    await inbox(shown).getByRole("heading", { name: "Inbox 100", exact: true }).waitFor()
  })

  it("is of no tools to call, and says so to whoever gives it some", async () => {
    const store = join(await folder(), "calls.db")
    await run(store, [note])
    const client = await openDurableExecutor({ store, runner: false })
    onTestFinished(() => client.close())
    await expect(serveWeb(client, { tools: new ToolRegistry([note]) })).rejects.toThrow(
      "Expected no `tools` for the page of a store: its calls are run by another process. Leave them out.",
    )
  })
})
