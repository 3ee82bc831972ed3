// @module-tag waits
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { defineTool, pipeline, Step } from "../../../src/index.ts"
import { describeWith } from "../../support/needs.ts"
import { lines, openCall, panel } from "./calls-page.ts"
import { served, usePages } from "./pages.ts"
import { note, streaming } from "./tools.ts"

const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" })

/** How many bars are drawn when all are to be seen, and how often in the frames after that. */
const drawnBy = (page: Page): Promise<{ readonly bars: number; readonly frames: number }> =>
  page.evaluate(`new Promise((resolve) => {
    const { prototype } = CanvasRenderingContext2D
    const { roundRect, clearRect } = prototype
    let [bars, frames, passed] = [0, 0, 0]
    prototype.roundRect = function (...box) { bars++; return roundRect.apply(this, box) }
    prototype.clearRect = function (...box) { frames++; return clearRect.apply(this, box) }
    const step = () => {
      if (++passed < 30) return requestAnimationFrame(step)
      Object.assign(prototype, { roundRect, clearRect })
      resolve({ bars, frames })
    }
    document.querySelector(".zoom button").click()
    requestAnimationFrame(step)
  })`)

const quick = defineTool({
  name: "quick",
  description: "Is done at once.",
  parameters: { type: "object", properties: {} } as const,
  compose: () => pipeline().andThen({ name: "do", call: () => Step.Output("done") }),
})

describeWith("chromium")("the page's timeline", () => {
  const pages = usePages()

  it("opens a call by keys: its plan and where it stands, its output as it comes, its decision, its trace", async () => {
    const { tool, release } = streaming()
    const { executor, web } = await served([tool, note], { trace: true })
    const page = await pages.open(web.url)
    executor.enqueue([{ name: "stream", params: { text: "<b>first</b>\u202e\n" } }])
    await lines(page, "running").waitFor()
    await page.getByRole("application").focus()
    await page.keyboard.press("ArrowRight")
    await timeline(page)
      .getByText(/^stream, .*running, /)
      .waitFor({ state: "attached" })
    await page.keyboard.press("Enter")
    await panel(page).getByText("<b>first</b>⟦U+202E⟧").nth(1).waitFor()
    const plan = panel(page).locator(".plan li")
    expect(await plan.allTextContents()).toEqual(["streamhere"])
    release()
    await panel(page).getByText("streamed it all").waitFor()
    await expect.poll(() => plan.allTextContents()).toEqual(["streamdone"])
    expect(await panel(page).locator(".facts dd").last().textContent()).toMatch(/^[0-9a-f]{32}$/)
    await page.keyboard.press("Escape")
    await panel(page).waitFor({ state: "detached" })
    executor.enqueue([{ name: "note", params: { text: "x" } }])
    await page.getByRole("button", { name: "Deny…" }).click()
    await page.keyboard.type("no need")
    await page.keyboard.press("Enter")
    await page.getByRole("application").focus()
    await page.keyboard.press("ArrowRight")
    await timeline(page)
      .getByText(/^note, /)
      .waitFor({ state: "attached" })
    await page.keyboard.press("Enter")
    await panel(page).getByText("a person: no need").waitFor()
    await expect
      .poll(() => plan.allTextContents())
      .toEqual(["lookdone", "gateWrite it down?skipped", "writeskipped", "tidyfinally, done"])
  })

  it("takes keys for a call as soon as it is shown, before anything is painted", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    await page.getByText("Live", { exact: true }).waitFor()
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (document.querySelector(".timeline .count").textContent !== "1") return
      observer.disconnect()
      for (const key of ["ArrowRight", "Enter"])
        document.querySelector("canvas").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))
    }).observe(document.body, { childList: true, characterData: true, subtree: true })`)
    executor.enqueue([{ name: "note", params: { text: "a" } }])
    await panel(page).getByText("Plan").waitFor()
  })

  it("sends a call to the background, cancels a task, and takes a result once", async () => {
    const { tool, release } = streaming()
    const { executor, web } = await served([tool])
    const page = await pages.open(web.url)
    executor.enqueue([
      { name: "stream", callId: "a", params: { text: "a" } },
      { name: "stream", callId: "b", params: { text: "b" }, background: true },
    ])
    await openCall(page, /^streammainrunning/)
    await panel(page).getByRole("button", { name: "Background" }).click()
    await timeline(page).getByRole("list", { name: "Lanes" }).getByText("background").waitFor()
    // The other one is there already.
    await expect.poll(() => executor.inspectCall("a")?.background).toBe(true)
    await panel(page).getByRole("button", { name: "Cancel" }).click()
    await panel(page)
      .getByText(/^cancelled/)
      .waitFor()
    release()
    const take = panel(page).getByRole("button", { name: "Take" })
    await take.waitFor()
    await openCall(page, /^stream.*complete/)
    await panel(page).getByText("streamed it all").waitFor()
    await take.click()
    await panel(page).getByText("Taken: the executor keeps its result no longer.").waitFor()
    expect(executor.tasks.list().map(({ id }) => id)).toEqual(["a"])
    await openCall(page, /^stream.*cancelled/)
    await take.waitFor()
    executor.tasks.take("a")
    await take.waitFor({ state: "detached" })
  })

  it("draws 10,000 calls, each of which can be come at", async () => {
    const { executor, web } = await served([quick], {}, { maxCalls: 10_000 })
    const page = await pages.open(web.url)
    const agentIds = Array.from({ length: 8 }, (_, index) => `a${index}`)
    for (let round = 0; round < 5; round++) {
      executor.enqueue(
        agentIds.flatMap((agentId) => Array.from({ length: 250 }, () => ({ name: "quick", agentId }))),
      )
      // Each is the last of its lane.
      await Promise.all(agentIds.map((agentId) => executor.run({ name: "quick", agentId })))
    }
    await timeline(page).getByText("10000", { exact: true }).waitFor()
    // The last changes may still be on their way.
    let drawn = await drawnBy(page)
    while (drawn.frames >= 4) drawn = await drawnBy(page)
    const { bars, frames } = drawn
    const width = await page.evaluate("document.querySelector('canvas').clientWidth")
    expect(bars).toBeGreaterThan(8)
    // What falls on one pixel is drawn once, and nothing is drawn while nothing happens.
    expect(bars).toBeLessThan(8 * (width as number) * frames)
    const canvas = page.getByRole("application")
    await canvas.focus()
    for (const key of ["ArrowRight", "ArrowDown", "+", "+", "+", "+", "ArrowRight", "-", "0", "Enter"])
      await page.keyboard.press(key)
    await panel(page).getByText("done").first().waitFor()
  })
})
