/** `npm run docs:page`: runs calls, and takes pictures of their page: light, dark, and on a phone. Needs a Chromium. */
import { fileURLToPath } from "node:url"
import { type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { findChromium } from "../../src/io/find-chromium.ts"
import { pageOfRun } from "./page-run.ts"

await using run = await pageOfRun()
const chromiumSandbox = process.getuid?.() !== 0
const browser = await chromium.launch({ executablePath: await findChromium(), chromiumSandbox })

const take = async (
  name: string,
  options: BrowserContextOptions,
  prepare: (page: Page) => Promise<void>,
): Promise<void> => {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(run.web.url)
  await page.getByText("Live", { exact: true }).waitFor()
  await prepare(page)
  await page.screenshot({ path: fileURLToPath(new URL(name, import.meta.url)), animations: "disabled" })
  await context.close()
}

const wide = { viewport: { width: 1320, height: 830 } }
const narrow = { viewport: { width: 390, height: 720 }, hasTouch: true, isMobile: true }
await take("page.png", wide, async (page) => {
  await page.getByText("+export const mean").first().waitFor()
})
await take("page-dark.png", { ...wide, colorScheme: "dark" }, async (page) => {
  await page.getByRole("button", { name: /^edit_file.*sum\.mjs.*complete/ }).click()
  await page.getByText("+export const sum").first().waitFor()
})
await take("page-phone.png", narrow, async (page) => {
  await page.getByRole("button", { name: /^Inbox/ }).click()
  await page.getByText("+export const mean").first().waitFor()
})
await browser.close()
