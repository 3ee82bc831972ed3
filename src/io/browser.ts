/**
 * Reads web pages as a person sees them, with one Chromium that is started when the first page is asked for and ends
 * when none was asked for in a while. It is the owner's to close; nothing that it starts outlives the process.
 */
import type { CDPSession, Page, Request, Response } from "playwright-core"
import { AddressGuard, type AddressGuardOptions } from "./address-guard.ts"
import { type ChromiumOptions, type RunningChromium, startChromium } from "./chromium.ts"
import { FetchError } from "./fetch-error.ts"
import { isBinaryType } from "./http-text.ts"
import { type ExtractedPage, pageScript } from "./page-script.ts"

export interface BrowserOptions extends ChromiumOptions, AddressGuardOptions {
  /** After how long without a page to read Chromium is ended, in milliseconds. Default 30,000. */
  readonly idleTimeout?: number
  /** How long to wait for the end of a page's document, in milliseconds. Default 15,000. */
  readonly loadTimeout?: number
  /** How long to wait after that for its network to fall silent, in milliseconds. Default 3,000. */
  readonly settleTimeout?: number
}

export interface PageRequest {
  /** http or https. */
  readonly url: URL
  /** Of the Markdown, in characters. */
  readonly maxLength: number
  readonly signal?: AbortSignal
}

export interface PageContent extends ExtractedPage {
  /** Where the page is, after all redirects. */
  readonly url: string
  readonly status: number
  readonly statusText: string
}

export interface PageReader {
  /**
   * Resolves with whatever status the server gave. Rejects with a FetchError (a PrivateAddressError, a download,
   * something that is not installed), with Node's error of a connection, and with the reason of the signal.
   */
  readPage(request: PageRequest): Promise<PageContent>
}

/** A page may replace itself while it is read; one that does not stop doing so is no page. */
const maxAttempts = 4

/** The document of the main frame, as it is replaced by redirects and by the page itself. */
class Navigation {
  response: Response | undefined
  failed: URL | undefined

  constructor(page: Page) {
    const isOurs = (request: Request) => request.isNavigationRequest() && request.frame() === page.mainFrame()
    page.on("response", (response) => {
      if (isOurs(response.request())) this.response = response
    })
    page.on("requestfailed", (request) => {
      if (isOurs(request)) this.failed = new URL(request.url())
    })
  }
}

const netErrorOf = (cause: unknown): string | undefined =>
  /net::(ERR_\w+)/.exec((cause as Error).message)?.[1]

const statusOf = (response: Response | undefined) => ({
  status: response?.status() ?? 0,
  statusText: response?.statusText() ?? "",
})

export class Browser implements PageReader, AsyncDisposable {
  private readonly options: BrowserOptions
  private readonly guard: AddressGuard
  private chromium: Promise<RunningChromium> | undefined
  /** The end of the one before. */
  private closed = Promise.resolve()
  private readers = 0
  private idle: NodeJS.Timeout | undefined

  /** Starts nothing yet. */
  constructor(options: BrowserOptions = {}) {
    this.options = options
    this.guard = new AddressGuard(options)
  }

  async readPage(request: PageRequest): Promise<PageContent> {
    const { signal } = request
    signal?.throwIfAborted()
    this.readers++
    clearTimeout(this.idle)
    try {
      const starting = this.start()
      const chromium = await orAborted(starting, signal)
      return await this.readWith(chromium, request).catch((cause: Error) => {
        // What fails because a tab was closed under it says so in many ways.
        signal?.throwIfAborted()
        const hasEnded = this.chromium !== starting || /has been closed|crashed/.test(cause.message)
        throw hasEnded
          ? new FetchError(`The browser ended while it read ${request.url.href}. Try again.`, { cause })
          : cause
      })
    } finally {
      this.readers--
      this.endWhenIdle()
    }
  }

  /** Ends Chromium, and with it what is being read. A later `readPage` starts it again. */
  async close(): Promise<void> {
    clearTimeout(this.idle)
    const chromium = this.chromium
    if (chromium !== undefined) {
      this.chromium = undefined
      this.closed = chromium.then((running) => running.close()).catch(() => {})
    }
    await this.closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private start(): Promise<RunningChromium> {
    if (this.chromium !== undefined) return this.chromium
    // Two cannot have the same profile.
    const starting = this.closed.then(() => startChromium(this.options, this.guard))
    this.chromium = starting
    const forget = () => {
      if (this.chromium === starting) this.chromium = undefined
    }
    starting.then((running) => running.onEnd(forget), forget)
    return starting
  }

  private endWhenIdle(): void {
    if (this.readers > 0 || this.chromium === undefined) return
    this.idle = setTimeout(() => void this.close(), this.options.idleTimeout ?? 30_000)
    this.idle.unref()
  }

  private async readWith(chromium: RunningChromium, request: PageRequest): Promise<PageContent> {
    const { signal } = request
    const tab = await chromium.openTab()
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= tab.close().catch(() => {})
      return closing
    }
    signal?.addEventListener("abort", close, { once: true })
    try {
      signal?.throwIfAborted()
      return await this.visit(tab.page, chromium, request)
    } finally {
      signal?.removeEventListener("abort", close)
      await close()
    }
  }

  private async visit(page: Page, chromium: RunningChromium, request: PageRequest): Promise<PageContent> {
    const { url, maxLength } = request
    const navigation = new Navigation(page)
    // What a page opens beside itself is not what was asked for.
    page.on("popup", (popup) => void popup.close().catch(() => {}))
    try {
      await page.goto(url.href, { waitUntil: "commit", timeout: 0 })
    } catch (cause) {
      throw explain(cause, navigation, chromium, url)
    }
    // A page that never ends, or never falls silent, is read as it is then.
    const { loadTimeout = 15_000, settleTimeout = 3_000 } = this.options
    await reached(page, "domcontentloaded", loadTimeout)
    await reached(page, "networkidle", settleTimeout)
    const contentType = navigation.response?.headers()["content-type"] ?? ""
    if (isBinaryType(contentType)) {
      throw new FetchError(
        `${page.url()} is no page but ${contentType}. Download it with the shell tool, for example with curl -o.`,
      )
    }
    const extracted = await evaluate(page, pageScript(chromium.libraries, maxLength))
    return { ...extracted, url: page.url(), ...statusOf(navigation.response) }
  }
}

/** Pages of the web, read by a Chromium of this machine. Its host closes it at shutdown. */
export const localBrowser = new Browser()

const orAborted = <A>(promise: Promise<A>, signal: AbortSignal | undefined): Promise<A> => {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener("abort", abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}

/** Waits for a state of a page, but no longer than that. Playwright takes 0 for ever. */
const reached = async (
  page: Page,
  state: "domcontentloaded" | "networkidle",
  timeout: number,
): Promise<void> => {
  if (timeout > 0) await page.waitForLoadState(state, { timeout }).catch(() => {})
}

/** The proxy knows why a connection failed; of the rest Chromium tells no more than a name. */
const explain = (cause: unknown, navigation: Navigation, chromium: RunningChromium, url: URL): unknown => {
  const failure = chromium.failureOf(navigation.failed ?? url)
  if (failure !== undefined) return failure
  const { status, statusText } = statusOf(navigation.response)
  if (status >= 400) return new FetchError(`HTTP error: ${status} ${statusText}`.trimEnd())
  const { message } = cause as Error
  if (message.includes("Download is starting")) {
    return new FetchError(
      `${url.href} is a download, not a page. Use fetch_url for text, or the shell tool, for example with curl -o.`,
    )
  }
  const reason = netErrorOf(cause)
  if (reason === undefined) return cause
  const answer = status === 0 ? "" : ` The server answered: ${status} ${statusText}`.trimEnd()
  return new FetchError(`Cannot open ${url.href}: ${reason}.${answer}`, { cause })
}

/** In a world of its own: the page's scripts can neither see nor change what the script works with. */
const evaluate = async (page: Page, expression: string): Promise<ExtractedPage> => {
  const session = await page.context().newCDPSession(page)
  for (let attempt = 1; ; attempt++) {
    try {
      return await evaluateOnce(session, expression)
    } catch (cause) {
      if (attempt === maxAttempts || cause instanceof FetchError || page.isClosed()) throw cause
      // The page went elsewhere meanwhile.
      await page.waitForLoadState("domcontentloaded")
    }
  }
}

const evaluateOnce = async (session: CDPSession, expression: string): Promise<ExtractedPage> => {
  const { frameTree } = await session.send("Page.getFrameTree")
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "stepline",
  })
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression,
    contextId: executionContextId,
    returnByValue: true,
  })
  if (exceptionDetails !== undefined) {
    const { exception, text } = exceptionDetails
    throw new FetchError(`The page cannot be read: ${exception?.description?.split("\n")[0] ?? text}`)
  }
  return result.value as ExtractedPage
}
