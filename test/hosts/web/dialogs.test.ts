// @module-tag waits
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { expect, it, onTestFinished } from "vitest"
import { CustomTools } from "../../../src/custom-tools/index.ts"
import { serveWeb, type WebOptions } from "../../../src/hosts/web/index.ts"
import { ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { describeWith } from "../../support/needs.ts"
import { inbox, press, settled } from "./inbox-page.ts"
import { usePages } from "./pages.ts"

/** `ask` evaluates its code, and puts out what that gives. */
const asker = `export default (api) => ({
  name: "ask",
  label: "Ask",
  description: "Asks what it is told to ask.",
  parameters: api.typebox.Type.Object({ code: api.typebox.Type.String() }),
  annotations: { readOnlyHint: true },
  async execute(_id, { code }, _onUpdate, ctx) {
    const AsyncFunction = (async () => {}).constructor
    const told = await new AsyncFunction("ui", "ctx", code)(ctx.ui, ctx)
    return { content: [{ type: "text", text: JSON.stringify(told) ?? "nothing" }] }
  },
})`

const tools = async (options: WebOptions = {}) => {
  const cwd = await mkdtemp(join(tmpdir(), "stepline-web-dialogs-"))
  const file = join(cwd, "asker.js")
  await writeFile(file, asker)
  const registry = new ToolRegistry()
  const customTools = await CustomTools.load({ cwd, registry, paths: [file], discovery: false })
  const executor = new ToolExecutor(registry, { cwd, hooks: customTools.hooks })
  customTools.attach(executor)
  const web = await serveWeb(executor, options)
  customTools.setUIContext(web.ui, true)
  onTestFinished(async () => {
    await executor.shutdown()
    await web.close()
    await rm(cwd, { recursive: true, force: true })
  })
  const ask = async (code: string) =>
    (await executor.run({ name: "ask", params: { code } }, () => {})).content
  return { executor, web, ask }
}

const question = (page: Page, title: string) =>
  inbox(page).getByRole("listitem", { name: `Question: ${title}` })

describeWith("chromium")("questions of other agents' tools", () => {
  const pages = usePages()

  it("stand in the inbox, and are answered there: confirmed, chosen, typed", async () => {
    const { web, ask } = await tools()
    const page = await pages.open(web.url)
    const told = ask(`return [
      ctx.hasUI,
      await ui.confirm("Go on?", "It’s “long” – wait…"),
      await ui.select("Which?", ["one", "two"]),
      await ui.input("Name?", "a name"),
      await ui.editor("Text?", "begun"),
    ]`)
    await question(page, "Go on?").getByText("It’s “long” – wait…").waitFor()
    await question(page, "Go on?").getByText("ask asks").waitFor()
    await press(page, "Yes")
    await question(page, "Which?").waitFor()
    await settled(page)
    await press(page, "two")
    await question(page, "Name?").waitFor()
    await settled(page)
    await question(page, "Name?").getByPlaceholder("a name").fill("Ada")
    await press(page, "Answer")
    await question(page, "Text?").waitFor()
    await settled(page)
    await question(page, "Text?").getByRole("textbox").fill("two\nlines")
    await press(page, "Answer")
    expect(await told).toBe(JSON.stringify([true, true, "two", "Ada", "two\nlines"]))
    await inbox(page).getByText("Nothing waits for you.").waitFor()
  })

  it("are turned down by their user, by their call's end, by themselves, and when the page ends", async () => {
    const { executor, web, ask } = await tools()
    const page = await pages.open(web.url)
    const dismissed = ask(`return [await ui.confirm("One?", ""), (await ui.select("Two?", ["a"])) ?? null]`)
    await question(page, "One?").getByRole("button", { name: "Dismiss" }).click()
    await question(page, "Two?").waitFor()
    await settled(page)
    await question(page, "Two?").getByRole("button", { name: "Dismiss" }).click()
    expect(await dismissed).toBe("[false,null]")
    const aborted = ask(`const own = new AbortController()
      const asked = ui.input("Own?", "", { signal: own.signal })
      await ui.confirm("Abort it?", "")
      own.abort()
      return [(await asked) ?? null]`)
    await question(page, "Own?").waitFor()
    await settled(page)
    await question(page, "Abort it?").getByRole("button", { name: "Yes" }).click()
    expect(await aborted).toBe("[null]")
    const cancelled = executor.run(
      { name: "ask", callId: "c", params: { code: `await ui.input("Still?")` } },
      () => {},
    )
    await question(page, "Still?").waitFor()
    executor.cancelCall("c")
    expect(await cancelled).toMatchObject({ status: "cancelled" })
    await inbox(page).getByText("Nothing waits for you.").waitFor()
    const open = ask(`return [(await ui.input("Open?")) ?? null]`)
    await question(page, "Open?").waitFor()
    await web.close()
    expect(await open).toBe("[null]")
    expect(await ask(`return await ui.confirm("Late?", "")`)).toContain(
      "The page has ended: nobody is there to answer",
    )
  })

  it("show what they say as text, and are not answered where they are too long to be seen", async () => {
    const { web, ask } = await tools()
    const page = await pages.open(web.url)
    const hostile = "<img src=x onerror=alert(1)>\u202etxt"
    const told = ask(`ui.notify(${JSON.stringify(hostile)}, "warning")
      return await ui.confirm(${JSON.stringify(hostile)}, "x".repeat(60_000))`)
    await inbox(page).getByRole("list", { name: "Notes" }).getByText("ask: <img").waitFor()
    const card = inbox(page).getByRole("listitem", { name: /^Question: / })
    await card.getByText("so it can only be turned down here").waitFor()
    expect(await card.getByRole("button", { name: "Yes" }).count()).toBe(0)
    expect(await page.locator("img").count()).toBe(0)
    expect(await page.content()).not.toMatch(/\u202e/)
    await settled(page)
    await press(page, "Dismiss")
    expect(await told).toBe("false")
  })

  it("cannot move another question under the pointer by a note", async () => {
    const { web, ask } = await tools()
    const page = await pages.open(web.url)
    const told = ask(`return await ui.confirm("Go on?", "")`)
    await question(page, "Go on?").waitFor()
    await settled(page)
    await page.evaluate(`new MutationObserver((_, observer) => {
      observer.disconnect()
      document.querySelector(".card .good").click()
    }).observe(document.querySelector(".told"), { childList: true })`)
    web.ui.notify("moved")
    await inbox(page).getByText("The questions had just moved: look again, then answer.").waitFor()
    await settled(page)
    await question(page, "Go on?").getByRole("button", { name: "No" }).click()
    expect(await told).toBe("false")
  })
})
