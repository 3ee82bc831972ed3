/** A visit to a web page: opens it, waits until it has settled, reads it, and describes failures. */
import type { CDPSession, Page, Request, Response } from "playwright-core"
import { shortened } from "../text/truncation.ts"
import type { RunningChromium } from "./chromium.ts"
import { FetchError } from "./fetch-error.ts"
import { httpErrorMessage, statusLine } from "./http-status.ts"
import { isBinaryType } from "./http-text.ts"
import type { PageContent, PageRequest } from "./page-reader.ts"
import { holdRedirects } from "./page-redirects.ts"
import { type ExtractedPage, pageScript } from "./page-script.ts"
import { shownUrl } from "./shown-url.ts"

export interface VisitOptions {
  /** How long to wait for a page's document to load, in milliseconds. Default 15,000. */
  readonly loadTimeout?: number
  /** How long to wait after that for its network to become idle, in milliseconds. Default 3,000. */
  readonly settleTimeout?: number
}

/** A page can replace itself while it is read; the visit gives up on one that does not stop. */
const maxAttempts = 4
/** How long to wait for the replacement, in milliseconds. */
const reloadTimeout = 2_000

/** Playwright's messages for a closed or crashed tab. They can quote URLs, so only their start is matched. */
const lostTab =
  /^[\w.]+: (?:Protocol error \([\w.]+\): )?(?:Target|Page|Session|Browser)\b[^"\n]*\b(?:closed|crashed)/

export const isLostTab = (cause: unknown): boolean => lostTab.test((cause as Error).message)

/** Tracks the document of the main frame through redirects and replacements by the page. */
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

/** Waits for a state of a page, at most for the given time. To Playwright, 0 means no limit. */
const reached = async (
  page: Page,
  state: "domcontentloaded" | "networkidle",
  timeout: number,
): Promise<void> => {
  if (timeout > 0) await page.waitForLoadState(state, { timeout }).catch(() => {})
}

/**
 * @internal Opens a page in the given tab, waits until it has settled, and reads it. Rejects with a FetchError, with Node's
 * error of a connection, with what `onRedirect` throws, and with Playwright's error if the tab is closed meanwhile.
 */
export const visitPage = async (
  page: Page,
  chromium: RunningChromium,
  request: PageRequest,
  options: VisitOptions,
): Promise<PageContent> => {
  const session = await page.context().newCDPSession(page)
  if (request.onRedirect === undefined) return visit(page, session, chromium, request, options)
  const { refused } = await holdRedirects(session, request.url, request.onRedirect)
  return Promise.race([refused, visit(page, session, chromium, request, options)])
}

const visit = async (
  page: Page,
  session: CDPSession,
  chromium: RunningChromium,
  { url, maxLength }: PageRequest,
  { loadTimeout = 15_000, settleTimeout = 3_000 }: VisitOptions,
): Promise<PageContent> => {
  const navigation = new Navigation(page)
  // Popups were not requested.
  page.on("popup", (popup) => void popup.close().catch(() => {}))
  try {
    await page.goto(url.href, { waitUntil: "commit", timeout: 0 })
  } catch (cause) {
    throw explain(cause, navigation, chromium, url)
  }
  // A page that never finishes loading, or is never idle, is read as it is then.
  await reached(page, "domcontentloaded", loadTimeout)
  await reached(page, "networkidle", settleTimeout)
  const contentType = navigation.response?.headers()["content-type"] ?? ""
  if (isBinaryType(contentType)) {
    throw new FetchError(
      `${shownUrl(page.url())} is no page but ${shortened(contentType, 100)}. Download it with the shell tool, for example with curl -o.`,
    )
  }
  const extracted = await evaluate(page, session, pageScript(chromium.libraries, maxLength))
  return { ...extracted, url: page.url(), ...statusOf(navigation.response) }
}

/** Finds the cause of a failure. The proxy knows why a connection failed; for the rest, Chromium reports only an error name. */
const explain = (cause: unknown, navigation: Navigation, chromium: RunningChromium, url: URL): unknown => {
  const failure = chromium.failureOf(navigation.failed ?? url)
  if (failure !== undefined) return failure
  const answered = statusOf(navigation.response)
  if (answered.status >= 400) return new FetchError(httpErrorMessage(answered))
  const { message } = cause as Error
  if (message.includes("Download is starting")) {
    return new FetchError(
      `${shownUrl(url)} is a download, not a page. Use fetch_url for text, or the shell tool, for example with curl -o.`,
    )
  }
  const reason = netErrorOf(cause)
  if (reason === undefined) return cause
  const answer = answered.status === 0 ? "" : ` The server answered: ${statusLine(answered)}`
  return new FetchError(`Cannot open ${shownUrl(url)}: ${reason}.${answer}`, { cause })
}

/** Evaluates in an isolated world: the page's scripts can neither see nor change what the script uses. */
const evaluate = async (page: Page, session: CDPSession, expression: string): Promise<ExtractedPage> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await evaluateOnce(session, expression)
    } catch (cause) {
      if (cause instanceof FetchError || page.isClosed() || isLostTab(cause)) throw cause
      if (attempt === maxAttempts) {
        throw new FetchError(
          `${shownUrl(page.url())} keeps replacing itself and cannot be read. Try fetch_url, which runs no scripts.`,
          { cause },
        )
      }
      // The page navigated meanwhile.
      await reached(page, "domcontentloaded", reloadTimeout)
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
