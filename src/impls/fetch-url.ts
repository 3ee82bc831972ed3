/**
 * fetch_url
 *
 *   ValidateUrl ─▶ (approval) ─▶ FetchUrl ─▶ [URL: …] [Content-Type: …] [Size: … bytes], then the text
 */
import { FetchUrl } from "../handlers/fetch-url.ts"
import type { AddressGuardOptions } from "../io/address-guard.ts"
import { localHttp } from "../io/http.ts"
import { makeUrlTool } from "./url-tool.ts"

/** `fetch_url`. Without `allowPrivate` it connects only to public addresses, at each hop of a redirect. */
export const makeFetchUrlTool = (options: AddressGuardOptions = {}) => {
  const http = localHttp(options)
  return makeUrlTool({
    name: "fetch_url",
    label: "Fetch URL",
    description:
      "Fetches a URL and gives its content as the server sent it: text, JSON, source code. Redirects are followed; long content is truncated. To read a web page, use fetch_html.",
    urlIs: "to fetch",
    shows: "text",
    fetch: (request) => FetchUrl(request, http),
  })
}

/** `fetch_url`: fetches an address; private ones are refused. */
export const fetchUrlTool = makeFetchUrlTool()
