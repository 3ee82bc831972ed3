/**
 * web_search
 *
 *   ValidateSearchKey ─▶ (approval) ─▶ WebSearch ─▶ "1. [title](url)", its description below
 */
import { Type } from "@sinclair/typebox"
import { type SearchApi, ValidateSearchKey, WebSearch } from "../handlers/web-search.ts"
import { problemOfUrl } from "../io/http.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

const parameters = Type.Object({
  query: Type.String({
    description: "What to search for, as one would type it into a search box.",
    pattern: "\\S",
    maxLength: 400,
  }),
  count: Type.Optional(
    Type.Integer({ description: "How many results, 1 to 20. Default: 10.", minimum: 1, maximum: 20 }),
  ),
})

/** Whether a path can be appended to a URL. */
const isBaseUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return problemOfUrl(url) === undefined && !/[?#]/.test(text)
}

/** `web_search`. Throws a TypeError for an invalid base URL. */
export const makeWebSearchTool = (api: SearchApi = {}) => {
  if (api.baseUrl !== undefined && !isBaseUrl(api.baseUrl)) {
    throw new TypeError(
      `Expected \`baseUrl\` to be an http or https URL without query, hash and password, got ${JSON.stringify(api.baseUrl)}`,
    )
  }
  return defineTool({
    name: "web_search",
    label: "Web search",
    description:
      "Searches the web and gives a numbered list of links with short descriptions. Read a page that it finds with fetch_html or fetch_url.",
    parameters,
    primaryParam: "query",
    cutsOutput: true,
    kind: "search",
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    compose: ({ query, count }) =>
      pipeline()
        .andThen(ValidateSearchKey(api))
        .awaitApproval()
        .andThen(WebSearch({ query, ...(count !== undefined && { count }) }, api)),
  })
}

/** `web_search`: searches the web; needs `BRAVE_API_KEY`. */
export const webSearchTool = makeWebSearchTool()
