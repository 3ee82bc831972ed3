// @module-tag waits
/** `npm run docs` builds without a warning (a link or an anchor that leads nowhere is one), and what it builds works from disk. */
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { findChromium } from "../../src/io/find-chromium.ts"
import { forPages } from "../servers/chromium.ts"
import { describeWith } from "../support/needs.ts"
import { root } from "../support/root.ts"

describeWith("chromium")("the site of the documentation", () => {
  let out: string
  let browser: Browser

  beforeAll(async () => {
    out = await mkdtemp(join(tmpdir(), "stepline-site-"))
    await promisify(execFile)("npm", ["run", "--silent", "docs", "--", "--out", out], { cwd: root })
    browser = await chromium.launch({
      executablePath: await findChromium(forPages.executablePath),
      args: ["--no-sandbox"],
    })
  }, 600_000)
  afterAll(async () => {
    await browser?.close()
    await rm(out, { recursive: true })
  })

  const open = async (path: string): Promise<{ readonly page: Page; readonly failures: Array<string> }> => {
    const page = await browser.newPage()
    page.setDefaultTimeout(100_000)
    const failures: Array<string> = []
    page.on("pageerror", ({ message }) => failures.push(message))
    await page.goto(pathToFileURL(join(out, path)).href)
    return { page, failures }
  }

  it("begins with the README and its picture", async () => {
    const { page, failures } = await open("index.html")
    expect(await page.locator("h1").allInnerTexts()).toEqual(["stepline"])
    const image = page.locator("img").first()
    expect(
      await image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth),
    ).toBe(640)
    await page.getByRole("link", { name: "Your first tool", exact: true }).first().click()
    await page.waitForURL(/Your_first_tool\.html/)
    expect(await page.locator("h1").textContent()).toBe("Your first tool")
    expect(failures).toEqual([])
  })

  it("finds what is looked for, in pages and in the reference", async () => {
    const { page, failures } = await open("index.html")
    await page.locator("#tsd-search-trigger").click()
    await page.locator("#tsd-search-input").fill("backgroundConcurrency")
    const results = page.locator("#tsd-search-results li")
    await results.first().waitFor()
    const found = await results.allInnerTexts()
    expect(found.some((name) => name.endsWith("ToolExecutorOptions.backgroundConcurrency"))).toBe(true)
    expect(found).toContain("Lanes and tasks")
    await results.filter({ hasText: "Lanes and tasks" }).first().click()
    await page.waitForURL(/Lanes_and_tasks\.html/)
    expect(await page.locator("h1").textContent()).toBe("Lanes and tasks")
    expect(failures).toEqual([])
  })

  it("has the export of each entry under what one imports", async () => {
    const { page } = await open("modules/stepline_testing.html")
    expect(await page.locator("h1").textContent()).toContain("stepline/testing")
    await page.locator('.tsd-member-summary-name a[href$="ScriptedHost.html"]').click()
    await page.waitForURL(/stepline_testing\.ScriptedHost\.html/)
    expect(await page.locator("h1").textContent()).toContain("ScriptedHost")
  })
})
