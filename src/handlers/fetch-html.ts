/** Reads a web page as a person sees it, and shows it as Markdown. */
import { localBrowser, type PageContent, type PageReader } from "../io/browser.ts"
import { headOf, maxOutputBytes } from "../io/truncation.ts"
import type { EffectHandler } from "../pipeline/handler.ts"
import { textOutput } from "../pipeline/output.ts"
import { Step } from "../pipeline/step.ts"
import { networkHandler } from "./network-handler.ts"
import { parseUrl } from "./validate-url.ts"

export interface FetchHtmlOptions {
  /** Absolute, http or https. */
  readonly url: string
  /** In bytes of UTF-8. Default and most: 50,000. */
  readonly maxLength?: number
}

export interface FetchHtmlDetails {
  /** Where the page is, after all redirects. */
  readonly url: string
  readonly title: string
  readonly status: number
  /** Of the whole Markdown, in bytes. */
  readonly size: number
  readonly truncated?: boolean
}

/** On one line, whatever a page puts into its title. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** A script may give its page an address of any length. */
const maxUrlLength = 2000

const headerOf = ({ title, status, statusText, url }: PageContent, requested: string): string =>
  [
    ...(url === requested ? [] : [`[Redirected from: ${requested}]`]),
    `[URL: ${url.slice(0, maxUrlLength)}]`,
    `[Title: ${oneLine(title) || "none"}]`,
    `[Status: ${`${status} ${statusText}`.trimEnd()}]`,
  ].join("\n")

const render = (page: PageContent, requested: string, maxBytes: number): Step => {
  const shown = headOf(page.markdown, maxBytes)
  const shownBytes = Buffer.byteLength(shown)
  const truncated = shownBytes < page.bytes
  const note = truncated
    ? `\n[truncated: these are the first ${shownBytes} bytes; the page has ${page.bytes}]`
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
 * Outputs the lines `[URL: …]`, `[Title: …]` and `[Status: 200 OK]`, an empty line, and the page as Markdown; cut past
 * 50,000 bytes, with a note. An error page is a page like any other. A time-out after 30 s is an Error.
 */
export const FetchHtml = (options: FetchHtmlOptions, reader: PageReader = localBrowser): EffectHandler =>
  networkHandler("FetchHtml", () => {
    const maxLength = Math.min(options.maxLength ?? maxOutputBytes, maxOutputBytes)
    return {
      target: options.url,
      run: async (signal) => {
        const url = parseUrl(options.url)
        return render(await reader.readPage({ url, maxLength, signal }), url.href, maxLength)
      },
    }
  })
