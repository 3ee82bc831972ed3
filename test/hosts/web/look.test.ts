// @module-tag waits
/** What a person sees: contrast, sizes, motion, and what moves with time. */
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { describeWith } from "../../support/needs.ts"
import { lines, openCall, panel } from "./calls-page.ts"
import { card, inbox } from "./inbox-page.ts"
import { served, usePages } from "./pages.ts"
import { change, note, streaming } from "./tools.ts"

/** Each text whose contrast with what is behind it is too low (WCAG 2.2, AA), with that contrast. */
const faint = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const colour = (text) => {
      const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number)
      return { r, g, b, a }
    }
    const light = ({ r, g, b }) => {
      const [x, y, z] = [r, g, b].map((part) => {
        const share = part / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * x + 0.7152 * y + 0.0722 * z
    }
    const behind = (element) => {
      for (let each = element; each !== null; each = each.parentElement) {
        const back = colour(getComputedStyle(each).backgroundColor)
        if (back.a === 1) return back
      }
    }
    const found = []
    const style = getComputedStyle(document.querySelector("canvas"))
    const named = (name) => {
      const [, ...parts] = style.getPropertyValue(name).trim().match(/^#(..)(..)(..)$/)
      const [r, g, b] = parts.map((part) => Number.parseInt(part, 16))
      return { r, g, b }
    }
    const check = (what, front, back) => {
      const [one, other] = [light(front), light(back)].sort((a, b) => b - a)
      const contrast = (one + 0.05) / (other + 0.05)
      if (contrast < 4.5) found.push(what + " " + contrast.toFixed(2))
    }
    for (const bar of ["--bar", "--bar-2", "--run", "--run-2", "--bad-bar", "--off"])
      check("label on " + bar, named("--bar-ink"), named(bar))
    for (const ink of ["--ink", "--muted"]) check("axis in " + ink, named(ink), named("--surface"))
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement
      if (node.data.trim() === "" || !element.checkVisibility() || element.closest(":disabled, script, option")) continue
      check(node.data, colour(getComputedStyle(element).color), behind(element))
    }
    return found
  })()`)

const seed = async () => {
  const { tool } = streaming()
  const limits = [{ tools: ["stream"], concurrency: 1 }]
  const { executor, web } = await served([note, change, tool], { limits, approvalTimeout: "1 hour" })
  await executor.run({ name: "change", params: { to: "new" } }, () => {})
  await executor.run({ name: "none" }, () => {})
  executor.enqueue([
    { name: "note", params: { text: "asked" } },
    { name: "note", params: { text: "queued" } },
    { name: "stream", agentId: "a", params: { text: "said" } },
    { name: "stream", agentId: "b" },
  ])
  return { executor, web }
}

describeWith("chromium")("the look of the page", () => {
  const pages = usePages()

  for (const colorScheme of ["light", "dark"] as const)
    it(`has texts that can be read, in ${colorScheme} mode`, async () => {
      const { web } = await seed()
      const page = await pages.open(web.url, { colorScheme })
      await card(page, "Preview").getByText("+new").waitFor()
      await card(page, "note").getByText("Write it down?").waitFor()
      await lines(page, "waits: ").waitFor()
      expect(await faint(page)).toEqual([])
      for (const text of ["change", "none", "asked"]) {
        await openCall(page, text)
        await panel(page).getByText("Call", { exact: true }).waitFor()
        expect(await faint(page)).toEqual([])
      }
    })

  it("has room for a finger on a phone, wherever something can be pressed", async () => {
    const { web } = await seed()
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const page = await pages.open(web.url, phone)
    const small = (): Promise<ReadonlyArray<string>> =>
      page.evaluate(`[...document.querySelectorAll("button, select, input:not([type=checkbox]), summary, label.choice")]
        .filter((each) => each.checkVisibility())
        .map((each) => [each.textContent || each.ariaLabel, Math.round(each.getBoundingClientRect().height)])
        .filter(([, height]) => height < 44)
        .map((each) => each.join(" "))`)
    await page.getByRole("list", { name: "Lanes" }).getByText("main").waitFor()
    expect(await small()).toEqual([])
    const lane = await page.getByRole("list", { name: "Lanes" }).getByRole("listitem").first().boundingBox()
    expect(lane?.height).toBeGreaterThanOrEqual(44)
    await page.getByRole("button", { name: /^Inbox/ }).click()
    await inbox(page).getByText("Write it down?").waitFor()
    expect(await small()).toEqual([])
    await page.getByRole("button", { name: /^Calls/ }).click()
    await lines(page, "asked").waitFor()
    expect(await small()).toEqual([])
    await openCall(page, "asked")
    await panel(page).getByText("Write it down?").first().waitFor()
    expect(await small()).toEqual([])
    // A bar is touched by a finger as it is clicked.
    await panel(page).getByRole("button", { name: "Close" }).click()
    await page.getByRole("button", { name: /^Timeline/ }).click()
    const bars = (await page.getByRole("application").boundingBox())!
    await page.touchscreen.tap(bars.x + bars.width / 2, bars.y + 26 + 40)
    await panel(page).waitFor()
  })

  it("has tips at bars that go on with their call", async () => {
    const { tool, release } = streaming()
    const { executor, web } = await served([tool])
    const page = await pages.open(web.url)
    executor.enqueue([{ name: "stream" }])
    await lines(page, "running").waitFor()
    const bars = (await page.getByRole("application").boundingBox())!
    const tip = page.locator(".tip")
    await expect
      .poll(async () => {
        await page.mouse.move(bars.x + bars.width / 2 + Math.random(), bars.y + 26 + 13)
        return tip.count()
      })
      .toBe(1)
    const told = await tip.textContent()
    await tip.filter({ hasText: "running" }).filter({ hasNotText: told! }).waitFor()
    release()
    await tip.filter({ hasText: "complete" }).waitFor()
  })

  it("folds a long wait on the timeline, and says how long it was", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    await page.evaluate(`window.drawn = []
      const { prototype } = CanvasRenderingContext2D
      const { fillText } = prototype
      prototype.fillText = function (text, ...at) { drawn.push(text); return fillText.call(this, text, ...at) }`)
    executor.enqueue([{ name: "note", callId: "c", params: { text: "a" } }])
    await expect.poll(() => page.evaluate("drawn.findLast((text) => /^⋯ [1-9]/.test(text))")).toBeDefined()
  })

  it("moves once a second where less motion is wanted", async () => {
    const { tool } = streaming()
    const { executor, web } = await served([tool])
    const frames = async (reducedMotion: "reduce" | "no-preference") => {
      const page = await pages.open(web.url, { reducedMotion })
      await lines(page, "running").waitFor()
      return page.evaluate(`new Promise((resolve) => {
        const { prototype } = CanvasRenderingContext2D
        const { clearRect } = prototype
        let drawn = 0
        prototype.clearRect = function (...box) { drawn++; return clearRect.apply(this, box) }
        document.querySelector("[aria-label='Zoom in']").click()
        document.querySelector("[aria-label='Zoom in']").click()
        document.querySelector(".zoom button:nth-child(2)").click()
        let passed = 0
        const step = () => (++passed < 40 ? requestAnimationFrame(step) : resolve(drawn))
        requestAnimationFrame(step)
      })`) as Promise<number>
    }
    executor.enqueue([{ name: "stream" }])
    expect(await frames("reduce")).toBeLessThan(await frames("no-preference"))
  })
})
