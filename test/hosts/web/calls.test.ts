// @module-tag waits
import { expect, it } from "vitest"
import { defineTool, pipeline, Step, ToolFilters, ToolRegistry } from "../../../src/index.ts"
import { describeWith } from "../../support/needs.ts"
import { calls, lines, openCall, panel } from "./calls-page.ts"
import { card, inbox, settled } from "./inbox-page.ts"
import { served, usePages } from "./pages.ts"
import { change, note, streaming } from "./tools.ts"

const outer = defineTool({
  name: "outer",
  description: "Calls another tool.",
  parameters: { type: "object" },
  compose: () =>
    pipeline().andThen(async ({ call }) => Step.Output((await call("note", { text: "inner" })).content)),
})

describeWith("chromium")("the page's list of calls", () => {
  const pages = usePages()

  it("tells of each call what it is about, what it does, how long, and who decided", async () => {
    const filters = ToolFilters.compile({ note: { allow: ["^by rule$"] } })
    const { executor, web } = await served([note], { filters }, { who: () => "ann" })
    const page = await pages.open(web.url)
    await page.getByText("Start your agent: its calls appear here by themselves").waitFor()
    await executor.run({ name: "note", params: { text: "by rule" }, agentId: "cook" })
    const denied = executor.run({ name: "note", params: { text: "by ann" } }, () => {})
    const asks = lines(page, /^noteby annmainwaiting0:0\d$/)
    await asks.waitFor()
    await card(page, "note").getByRole("button", { name: "Deny…" }).click()
    await page.keyboard.press("Enter")
    await denied
    await lines(page, /^noteby annmaindenied\d.* m?sann$/).waitFor()
    await lines(page, /^noteby rulecookcomplete\d.* m?sa rule$/).waitFor()
    await calls(page).getByRole("heading", { name: "Calls 2" }).waitFor()
  })

  it("says at which limit a call waits, and for how long", async () => {
    const { tool, release } = streaming()
    const limits = [{ tools: ["stream"], concurrency: 1 }]
    const { executor, web } = await served([tool], { limits })
    const page = await pages.open(web.url)
    executor.enqueue(["a", "b"].map((agentId) => ({ name: "stream", agentId, params: { text: agentId } })))
    await lines(page, /^streambwaits: at most 1 at once for stream0:0[1-9]$/).waitFor()
    await openCall(page, "waits")
    await panel(page)
      .getByText(/^waits for its turn for 0:\d\d: at most 1 at once for stream$/)
      .waitFor()
    release()
    await panel(page)
      .getByText(/^complete/)
      .waitFor()
  })

  it("has nested calls below their outer call, and names it where that is left out", async () => {
    const { executor, web } = await served([note, outer])
    const page = await pages.open(web.url)
    executor.enqueue([
      { name: "outer", callId: "the-outer" },
      { name: "note", agentId: "b", params: { text: "other" } },
    ])
    await lines(page, "↳ note").waitFor()
    const tools = calls(page).locator(".tool")
    expect(await tools.allTextContents()).toEqual(["note", "outer", "↳ note"])
    const left = async (index: number) => (await tools.nth(index).locator("b").boundingBox())!.x
    expect(await left(2)).toBeGreaterThan((await left(1)) + 10)
    await calls(page).getByLabel("Tool").selectOption("note")
    await lines(page, "inner ↳ in the-outer").waitFor()
    expect(await tools.allTextContents()).toEqual(["note", "note"])
  })

  it("is narrowed, and says so where nothing is left", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    executor.enqueue([
      { name: "note", agentId: "a", params: { text: "one" } },
      { name: "note", agentId: "a", params: { text: "two" } },
      { name: "note", agentId: "b", params: { text: "three" } },
    ])
    await lines(page, "three").waitFor()
    await calls(page).getByLabel("State").selectOption("waiting")
    await calls(page).getByRole("heading", { name: "Calls 2 of 3" }).waitFor()
    await calls(page).getByLabel("Agent").selectOption("a")
    await lines(page, "three").waitFor({ state: "detached" })
    await calls(page).getByLabel("Text").fill("no such")
    await calls(page).getByText("No call is like that.").waitFor()
    await calls(page).getByRole("button", { name: "Show all" }).click()
    await calls(page).getByRole("heading", { name: "Calls 3" }).waitFor()
  })

  it("is gone through by arrows, and one comes back to where one was", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    for (const text of ["a", "b", "c"]) executor.enqueue([{ name: "note", agentId: text, params: { text } }])
    const focused = (text: string) => calls(page).locator(".call-line:focus", { hasText: text }).waitFor()
    await lines(page, "noteaa").getByRole("button").focus()
    await page.keyboard.press("ArrowUp")
    await focused("notebb")
    await page.keyboard.press("Home")
    await focused("notecc")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await panel(page).getByText("Note: b").waitFor()
    await page.keyboard.press("Escape")
    await focused("notebb")
  })

  it("opens a call that waits with what it asks, to be answered there", async () => {
    const { executor, web } = await served([note, change])
    const page = await pages.open(web.url)
    const press = (name: string) => panel(page).getByRole("button", { name, exact: true }).click()
    const edited = executor.run({ name: "note", params: { text: "a" } }, () => {})
    await openCall(page, "noteamain")
    await panel(page).getByText("Write it down?").first().waitFor()
    // What the card shows is not shown again.
    expect(await panel(page).getByText("Parameters", { exact: true }).count()).toBe(0)
    await settled(page)
    await press("Edit…")
    await panel(page).getByLabel("text", { exact: true }).fill("b")
    await press("Approve with these")
    expect(await edited).toMatchObject({ content: 'noted {"text":"b"}' })
    await panel(page).getByText("Parameters that ran").waitFor()
    const denied = executor.run({ name: "note", params: { text: "c" } }, () => {})
    await openCall(page, "notecmain")
    await settled(page)
    await press("Deny…")
    await page.keyboard.type("no")
    await page.keyboard.press("Enter")
    expect(await denied).toMatchObject({ status: "denied", content: "no" })
    await executor.run({ name: "change", params: { to: "new" } }, () => {})
    await openCall(page, "change")
    await panel(page).getByText("+new").waitFor()
    expect(await panel(page).getByText("+new").count()).toBe(1)
    await settled(page)
    await press("Apply")
    await inbox(page).getByText("Nothing waits for you.").waitFor()
    await panel(page).getByRole("heading", { name: "Diff" }).waitFor()
  })

  it("names a call by its edited parameters while it runs", async () => {
    let release = () => {}
    const slow = defineTool({
      name: "slow",
      description: "Runs until it is let go.",
      primaryParam: "text",
      parameters: { type: "object", properties: { text: { type: "string" } } } as const,
      compose: () =>
        pipeline()
          .awaitApproval()
          .andThen(async () => {
            await new Promise<void>((resolve) => {
              release = resolve
            })
            return Step.Continue
          }),
    })
    const { executor, web } = await served([slow])
    const page = await pages.open(web.url)
    const result = executor.run({ name: "slow", params: { text: "a" } }, (event) => {
      if (event._tag === "AwaitingApproval") event.approve({ params: { text: "b" } })
    })
    await lines(page, /^slowbmainrunning/).waitFor()
    release()
    await result
  })

  it("makes one call for two quick clicks on Run", async () => {
    const registry = new ToolRegistry([note])
    const { executor, web } = await served([note], {}, { tools: registry })
    const page = await pages.open(web.url)
    await page.getByRole("button", { name: "Call a tool" }).click()
    const dialog = page.getByRole("dialog", { name: "Call a tool" })
    await dialog.getByLabel("text", { exact: true }).fill("a")
    await dialog.getByRole("button", { name: "Run" }).dblclick()
    await card(page, "note").waitFor()
    expect(executor.inspect()).toHaveLength(1)
  })

  it("takes the second of two quick clicks on a line for no answer", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    executor.enqueue([{ name: "note", callId: "c", params: { text: "a" } }])
    await lines(page, "note").waitFor()
    // The button may be there late on a busy machine: for the page, no time passes.
    await page.evaluate(`performance.now = () => 1000
    new MutationObserver((_, observer) => {
      const button = document.querySelector(".call-panel .good:not(:disabled)")
      if (button === null) return
      observer.disconnect()
      button.click()
    }).observe(document.body, { childList: true, attributes: true, subtree: true })`)
    await lines(page, "note").getByRole("button").click()
    await panel(page).getByText("The questions had just moved: look again, then answer.").waitFor()
    expect(executor.inspectCall("c")?.state).toBe("waiting")
  })

  it("draws a part of 10,000 calls, and more of them when asked", async () => {
    const { tool, release } = streaming()
    const { executor, web } = await served([tool])
    release()
    const page = await pages.open(web.url)
    for (let agent = 0; agent < 100; agent++)
      executor.enqueue(Array.from({ length: 100 }, () => ({ name: "stream", agentId: `a${agent}` })))
    await calls(page).getByRole("heading", { name: "Calls 10000" }).waitFor()
    expect(await calls(page).getByRole("listitem").count()).toBe(200)
    await calls(page).getByRole("button", { name: "Show 200 more of 9800" }).click()
    await expect.poll(() => calls(page).getByRole("listitem").count()).toBe(400)
    await calls(page).getByLabel("Agent").selectOption("a7")
    await calls(page).getByRole("heading", { name: "Calls 100 of 10000" }).waitFor()
  })
})
