/** Pages in a real Chromium, one for a test file. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { serveWeb, type Web, type WebOptions } from "../../../src/hosts/web/index.ts"
import { type Tool, ToolExecutor, type ToolExecutorOptions, ToolRegistry } from "../../../src/index.ts"
import { findChromium } from "../../../src/io/find-chromium.ts"
import { forPages } from "../../servers/chromium.ts"

export interface Pages {
  /** Opens an address in a profile of its own. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
}

/** A browser that starts with the tests of a file, and ends with them. A page that reports an error fails its test. */
export const usePages = (): Pages => {
  let browser: Browser
  beforeAll(async () => {
    const executablePath = await findChromium(forPages.executablePath)
    browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
  })
  afterAll(() => browser?.close())
  return {
    open: async (url, options) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
      onTestFinished(() => context.close())
      // A little less than a test has, so that what is missing is told.
      context.setDefaultTimeout(100_000)
      const page = await context.newPage()
      const problems: Array<string> = []
      page.on("pageerror", ({ message }) => problems.push(message))
      page.on("console", (message) => {
        const text = message.text()
        // Chromium tells of each connection that ends, as some do here.
        if (message.type() === "error" && !/^Failed to load resource|net::ERR/.test(text)) problems.push(text)
      })
      onTestFinished(() => {
        if (problems.length > 0) throw new Error(`The page reported:\n${problems.join("\n")}`)
      })
      await page.goto(url)
      return page
    },
  }
}

/** An executor and its page, both ended with the test. Effects succeed with nothing. */
export const served = async (
  tools: ReadonlyArray<Tool>,
  options: ToolExecutorOptions = {},
  webOptions: WebOptions = {},
): Promise<{ readonly executor: ToolExecutor; readonly web: Web; readonly registry: ToolRegistry }> => {
  const registry = new ToolRegistry(tools)
  const executor = new ToolExecutor(registry, options)
  const web = await serveWeb(executor, webOptions)
  const answered = (async () => {
    for await (const event of executor.events) if (event._tag === "Delegate") event.succeed()
  })()
  onTestFinished(async () => {
    await executor.shutdown()
    await answered
    await web.close()
  })
  return { executor, web, registry }
}
