/**
 * fetch_url
 *
 *   ValidateUrl ─▶ (approval) ─▶ FetchUrl ─▶ [URL: …] [Content-Type: …] [Size: … bytes], then the text
 */
import { Type } from "@sinclair/typebox"
import { FetchUrl } from "../handlers/fetch-url.ts"
import { ValidateUrl } from "../handlers/validate-url.ts"
import type { AddressGuardOptions } from "../io/address-guard.ts"
import { localHttp } from "../io/http.ts"
import { pipeline } from "../pipeline/model/pipeline.ts"
import { defineTool, type Tool } from "../pipeline/model/tool.ts"

const parameters = Type.Object({
  url: Type.String({ description: "The absolute URL to fetch, http or https." }),
  max_length: Type.Optional(
    Type.Integer({
      description: "How many bytes of the text to show at most. Default and most: 50000.",
      minimum: 1,
    }),
  ),
})

/** `fetch_url`. Without `allowPrivate` it connects to public addresses alone, at each hop of a redirect. */
export const makeFetchUrlTool = (options: AddressGuardOptions = {}): Tool => {
  const http = localHttp(options)
  return defineTool({
    name: "fetch_url",
    label: "Fetch URL",
    description:
      "Fetches a URL and gives its content as the server sent it: text, JSON, source code. Redirects are followed; long content is truncated. To read a web page, use fetch_html.",
    parameters,
    primaryParam: "url",
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    compose: ({ url, max_length }) =>
      pipeline()
        .andThen(ValidateUrl({ url }))
        .awaitApproval()
        .andThen(FetchUrl({ url, ...(max_length !== undefined && { maxLength: max_length }) }, http)),
  })
}

export const fetchUrlTool: Tool = makeFetchUrlTool()
