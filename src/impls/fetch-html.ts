/**
 * fetch_html
 *
 *   ValidateUrl ─▶ (approval) ─▶ FetchHtml ─▶ [URL: …] [Title: …] [Status: …], then the page as Markdown
 */
import { FetchHtml } from "../handlers/fetch-html.ts"
import { localBrowser } from "../io/browser.ts"
import type { PageReader } from "../io/page-reader.ts"
import { makeUrlTool } from "./url-tool.ts"

/**
 * `fetch_html`, with a browser that its caller owns and closes.
 *
 * @example
 * await using browser = new Browser({ allowPrivate: true })
 * registry.register(makeFetchHtmlTool(browser))
 */
export const makeFetchHtmlTool = (reader: PageReader) =>
  makeUrlTool({
    name: "fetch_html",
    label: "Fetch HTML",
    description:
      "Opens a web page in a browser, runs its scripts, and gives what a person reads there as Markdown, with its links and without navigation. For files and APIs, use fetch_url.",
    urlIs: "of the page",
    shows: "Markdown",
    fetch: (request) => FetchHtml(request, reader),
  })

/** `fetch_html` for public pages only. `localBrowser.close()` ends the browser at once; otherwise it ends after some idle time. */
export const fetchHtmlTool = makeFetchHtmlTool(localBrowser)
