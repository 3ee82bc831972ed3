// @module-tag waits
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { defineTool, handler, pipeline, Step } from "../../../src/index.ts"
import { describeWith } from "../../support/needs.ts"
import { openCall, panel } from "./calls-page.ts"
import { inbox, settled } from "./inbox-page.ts"
import { served, usePages } from "./pages.ts"

const long = (start: string): string => start + "x".repeat(1_000_000)

const shownText = async (page: Page): Promise<number> => (await page.locator("#page").textContent())!.length

/** Characters of the state, as a page that comes is told it. */
const sentState = (page: Page): Promise<number> =>
  page.evaluate(`(async () => {
    const { body } = await fetch(sessionStorage.getItem("stepline") + "/events")
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    while (!/\\ndata: .*\\n\\n/.test(text)) text += (await reader.read()).value
    await reader.cancel()
    return text.length
  })()`)

/** Everything that has a name has one of a megabyte. */
const named = defineTool({
  name: "tool",
  label: long("Label"),
  description: "Is long in the tooth.",
  parameters: { type: "object", properties: {} } as const,
  compose: () =>
    pipeline()
      .andThen(handler(long("first"), () => Step.Output("looked")))
      .awaitApproval({ label: long("May it?") })
      .awaitResolve({ label: long("Preview"), sourceToolName: long("source") })
      .andThen(handler(long("second"), () => Step.Output("done"))),
})

describeWith("chromium")("names of a megabyte", () => {
  const pages = usePages()

  it("are cut where they are sent and drawn, and what has them can be answered all the same", async () => {
    const { executor, web } = await served([named])
    const page = await pages.open(web.url)
    const sent: Array<Promise<number>> = []
    page.on("response", (response) => {
      if (!/\/(call|question)\?/.test(response.url())) return
      // The last one may be on its way when the test is over.
      sent.push(
        response.text().then(
          ({ length }) => length,
          () => 0,
        ),
      )
    })
    const call = { name: named.name, agentId: long("agent"), lane: long("lane"), callId: long("call") }
    executor.enqueue([call])
    const card = inbox(page).getByRole("listitem")
    await card.getByText("May it?").waitFor()
    expect(await shownText(page)).toBeLessThan(10_000)
    await card.getByRole("button", { name: /^tool/ }).click()
    await panel(page).getByText("Plan").waitFor()
    expect(await panel(page).locator(".plan li").count()).toBe(4)
    expect(await shownText(page)).toBeLessThan(20_000)
    expect(await sentState(page)).toBeLessThan(10_000)
    await settled(page)
    await card.getByRole("button", { name: "Approve" }).click()
    const preview = inbox(page).getByRole("listitem", { name: /^Preview/ })
    await preview.getByText("looked").waitFor()
    expect(await shownText(page)).toBeLessThan(20_000)
    expect(await sentState(page)).toBeLessThan(10_000)
    await settled(page)
    await preview.getByRole("button", { name: "Discard" }).click()
    await inbox(page).getByText("Nothing waits for you.").waitFor()
    expect(executor.agent(call.agentId).pendingActions.list()).toEqual([])
    executor.enqueue([{ ...call, callId: long("again") }])
    await openCall(page, "waiting")
    await panel(page).getByRole("button", { name: "Cancel" }).click()
    // Nothing waits before it asks, either.
    await expect.poll(() => executor.inspect()).toEqual([])
    await inbox(page).getByText("Nothing waits for you.").waitFor()
    const lengths = await Promise.all(sent)
    expect(lengths.length).toBeGreaterThan(2)
    expect(Math.max(...lengths)).toBeLessThan(10_000)
  })

  it("are cut also of tools that there are not, and of reasons", async () => {
    const { executor, web } = await served([named])
    const page = await pages.open(web.url)
    const denied = executor.run({ name: named.name, decision: "requested", callId: "held" }, () => {})
    executor.enqueue([{ name: long("none") }])
    await inbox(page).getByRole("listitem").waitFor()
    executor.deny("held", long("because"))
    expect(await denied).toMatchObject({ status: "denied" })
    await inbox(page).getByText("Nothing waits for you.").waitFor()
    const canvas = page.getByRole("application")
    await canvas.focus()
    for (let call = 0; call < 2; call++) {
      await page.keyboard.press("ArrowRight")
      await page.keyboard.press("Enter")
      await panel(page).getByText("Result").waitFor()
      // A result is shown to a hundred thousand characters; it is no name.
      expect(await shownText(page)).toBeLessThan(120_000)
      await canvas.focus()
    }
  })
})
