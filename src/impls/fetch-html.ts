/**
 * fetch_html
 *
 *   ValidateUrl ─▶ (approval) ─▶ FetchHtml ─▶ [URL: …] [Title: …] [Status: …], then the page as Markdown
 */
import { Type } from "@sinclair/typebox"
import { FetchHtml } from "../handlers/fetch-html.ts"
import { ValidateUrl } from "../handlers/validate-url.ts"
import { localBrowser } from "../io/browser.ts"
import type { PageReader } from "../io/page-reader.ts"
import { pipeline } from "../pipeline/model/pipeline.ts"
import { defineTool, type Tool } from "../pipeline/model/tool.ts"

const parameters = Type.Object({
  url: Type.String({ description: "The absolute URL of the page, http or https." }),
  max_length: Type.Optional(
    Type.Integer({
      description: "How many bytes of the Markdown to show at most. Default and most: 50000.",
      minimum: 1,
    }),
  ),
})

/**
 * `fetch_html`, with a browser that its caller owns and closes.
 *
 * @example
 * await using browser = new Browser({ allowPrivate: true })
 * registry.register(makeFetchHtmlTool(browser))
 */
export const makeFetchHtmlTool = (reader: PageReader): Tool =>
  defineTool({
    name: "fetch_html",
    label: "Fetch HTML",
    description:
      "Opens a web page in a browser, runs its scripts, and gives what a person reads there as Markdown, with its links and without navigation. For files and APIs, use fetch_url.",
    parameters,
    primaryParam: "url",
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    compose: ({ url, max_length }) =>
      pipeline()
        .andThen(ValidateUrl({ url }))
        .awaitApproval()
        .andThen(FetchHtml({ url, ...(max_length !== undefined && { maxLength: max_length }) }, reader)),
  })

/** Public pages alone. `localBrowser.close()` ends its browser at once; else it ends when it was idle for a while. */
export const fetchHtmlTool: Tool = makeFetchHtmlTool(localBrowser)
