/** Reads a web page as a person sees it, and outputs it as Markdown. */
import { localBrowser } from "../io/browser.ts"
import { statusLine } from "../io/http-status.ts"
import type { PageContent, PageReader } from "../io/page-reader.ts"
import type { EffectHandler } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import { textOutput } from "../output/output.ts"
import { headOf, maxOutputBytes } from "../text/truncation.ts"
import { answerHeader } from "./answer-header.ts"
import { networkHandler } from "./network-handler.ts"
import { heldToRules } from "./redirect-rules.ts"
import { parseUrl } from "./validate-url.ts"

/** Which page to fetch, and how much of it. */
export interface FetchHtmlOptions {
  /** Absolute, http or https. */
  readonly url: string
  /** In bytes of UTF-8. Default and maximum: 50,000. */
  readonly maxLength?: number
}

/** The `details` of a fetched page. */
export interface FetchHtmlDetails {
  /** The final URL, after all redirects. */
  readonly url: string
  readonly title: string
  readonly status: number
  /** Size of the whole Markdown, in bytes. */
  readonly size: number
  readonly truncated?: boolean
}

/** Puts a title on one line. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

const headerOf = (page: PageContent, requested: string): string =>
  answerHeader([
    ...(page.url === requested ? [] : [["Redirected from", requested] as const]),
    ["URL", page.url],
    ["Title", oneLine(page.title) || "none"],
    ["Status", statusLine(page)],
  ])

const render = (page: PageContent, requested: string, maxBytes: number): Step => {
  const shown = headOf(page.markdown, maxBytes)
  const shownBytes = Buffer.byteLength(shown)
  const truncated = shownBytes < page.bytes || page.isPartial
  const note = truncated
    ? `\n[truncated: these are the first ${shownBytes} bytes; the page has ${page.isPartial ? "more than " : ""}${page.bytes}]`
    : ""
  const details: FetchHtmlDetails = {
    url: page.url,
    title: oneLine(page.title),
    status: page.status,
    size: page.bytes,
    ...(truncated && { truncated }),
  }
  const text = `${headerOf(page, requested)}\n\n${shown || "(no text)"}${note}`
  return Step.Output({ ...textOutput(text), details })
}

/**
 * Outputs the lines `[URL: …]`, `[Title: …]` and `[Status: 200 OK]`, an empty line, and the page as Markdown; cut after
 * 50,000 bytes, with a note. An error page is output like any other page. A time-out after 30 s is an Error.
 */
export const FetchHtml = (options: FetchHtmlOptions, reader: PageReader = localBrowser): EffectHandler =>
  networkHandler("FetchHtml", (context) => {
    const maxLength = Math.min(options.maxLength ?? maxOutputBytes, maxOutputBytes)
    return {
      target: options.url,
      afterTimeout: "\nThe page's scripts may never end. fetch_url gives its source without running them.",
      run: async (signal) => {
        const url = parseUrl(options.url)
        const onRedirect = heldToRules(context, url)
        return render(await reader.readPage({ url, maxLength, onRedirect, signal }), url.href, maxLength)
      },
    }
  })
