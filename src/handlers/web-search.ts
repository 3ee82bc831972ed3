/** Searches the web with Brave's API. */
import { type Http, type HttpResponse, localHttp } from "../io/http.ts"
import { httpErrorMessage } from "../io/http-status.ts"
import { BodyHead, decodeText } from "../io/http-text.ts"
import { type EffectHandler, handler } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"
import { textOutput } from "../output/output.ts"
import { headOf, maxOutputBytes } from "../text/truncation.ts"
import { networkHandler } from "./network-handler.ts"

/** How to reach Brave's API. */
export interface SearchApi {
  /**
   * The base for `/res/v1/web/search`: http or https, without query or hash. Default: `https://api.search.brave.com`.
   * Private addresses are allowed.
   */
  readonly baseUrl?: string
  /** Default: the environment's `BRAVE_API_KEY`, read on each call. */
  readonly apiKey?: string
}

/** What to search the web for. */
export interface WebSearchOptions {
  readonly query: string
  /** 1 to 20. Default 10. */
  readonly count?: number
}

/** One result of a web search. */
export interface SearchResult {
  readonly title: string
  readonly url: string
  /** Plain text; empty if there is none. */
  readonly description: string
}

/** The `details` of a web search. */
export interface WebSearchDetails {
  readonly results: ReadonlyArray<SearchResult>
}

/** Far more than twenty results need. */
const maxAnswerBytes = 4_000_000
/** For each result, in bytes. A result with a longer URL is omitted, because a truncated URL is useless. */
const maxTitle = 500
const maxDescription = 2_000
const maxUrl = 2_000
const defaultCount = 10

/** Throws a ToolError if the key is missing or malformed. */
const keyOf = ({ apiKey = process.env.BRAVE_API_KEY }: SearchApi): string => {
  const key = apiKey?.trim()
  if (key === undefined || key === "") {
    throw new ToolError(
      "web_search needs a key of Brave's search API, and there is none. Get one at https://brave.com/search/api/ and put it into the environment variable BRAVE_API_KEY.",
    )
  }
  // Anything else is invalid in a header.
  if (!/^[\x20-\x7e]+$/.test(key)) {
    throw new ToolError(
      "The key of Brave's search API holds characters that no key has, such as line breaks. Check the environment variable BRAVE_API_KEY.",
    )
  }
  return key
}

const requestUrl = (
  { baseUrl = "https://api.search.brave.com" }: SearchApi,
  options: WebSearchOptions,
): URL => {
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/res/v1/web/search`)
  url.searchParams.set("q", options.query)
  url.searchParams.set("count", String(options.count ?? defaultCount))
  url.searchParams.set("text_decorations", "false")
  return url
}

const advice: Readonly<Record<number, string>> = {
  401: " The API does not accept the key. Check BRAVE_API_KEY.",
  403: " The API does not accept the key. Check BRAVE_API_KEY.",
  422: " The API does not accept the key or the query. Check BRAVE_API_KEY, and shorten the query.",
  429: " Too many searches in a short time, or in this month. Wait before the next one.",
}

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
])

const decodeEntity = (entity: string, name: string): string => {
  if (!name.startsWith("#")) return entities.get(name) ?? entity
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity
}

/** Converts the API's HTML (bold words, entities) to plain text on one line. */
const plainText = (html: unknown): string =>
  typeof html !== "string"
    ? ""
    : html
        .replace(/<\/?[a-z][^<>]*>/gi, "")
        .replace(/&(#\d+|#x[\da-f]+|\w+);/gi, decodeEntity)
        .replace(/\s+/g, " ")
        .trim()

const readResult = (value: unknown): SearchResult | undefined => {
  const { title, url, description } = (value ?? {}) as Record<string, unknown>
  if (typeof url !== "string" || url === "" || Buffer.byteLength(url) > maxUrl) return undefined
  return {
    title: headOf(plainText(title) || url, maxTitle),
    url,
    description: headOf(plainText(description), maxDescription),
  }
}

/** Returns undefined for anything but a response of the API. Without `web`, there are no results. */
const readResults = (text: string | undefined): Array<SearchResult> | undefined => {
  let answer: unknown
  try {
    answer = JSON.parse(text ?? "")
  } catch {
    return undefined
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return undefined
  const { web } = answer as { web?: { results?: unknown } | null }
  const results = web?.results ?? []
  if (!Array.isArray(results)) return undefined
  return results.map(readResult).filter((result) => result !== undefined)
}

const linkOf = ({ title, url }: SearchResult): string =>
  `[${title.replace(/[\\[\]]/g, "\\$&")}](${url.replace(/[()\s<>]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`)})`

const render = (results: ReadonlyArray<SearchResult>): string =>
  results
    .map((result, index) => {
      const number = `${index + 1}. `
      const { description } = result
      return `${number}${linkOf(result)}${description === "" ? "" : `\n${" ".repeat(number.length)}${description}`}`
    })
    .join("\n")

const shortened = (text: string): string => {
  const shown = headOf(text, maxOutputBytes)
  if (shown.length === text.length) return text
  return `${shown}\n[truncated: these are the first ${Buffer.byteLength(shown)} bytes; the results have ${Buffer.byteLength(text)}]`
}

const answerOf = async (response: HttpResponse, count: number): Promise<Step> => {
  const { status } = response
  if (status !== 200) return Step.Error(`${httpErrorMessage(response)}.${advice[status] ?? ""}`)
  const body = new BodyHead(maxAnswerBytes)
  await body.readFrom(response.body)
  const results = readResults(decodeText(body, "application/json"))?.slice(0, count)
  if (results === undefined) {
    return Step.Error(`${response.url.origin} did not answer as Brave's search API does. Try again later.`)
  }
  if (results.length === 0) return Step.Output("No results found.")
  const details: WebSearchDetails = { results }
  return Step.Output({ ...textOutput(shortened(render(results))), details })
}

/** Continues if there is a key. */
export const ValidateSearchKey = (api: SearchApi = {}): EffectHandler =>
  handler("ValidateSearchKey", () => {
    keyOf(api)
    return Step.Continue
  })

/** Outputs numbered Markdown links with their descriptions, cut after 50,000 bytes with a note, or `No results found.` */
export const WebSearch = (
  options: WebSearchOptions,
  api: SearchApi = {},
  http: Http = localHttp({ allowPrivate: true }),
): EffectHandler =>
  networkHandler("WebSearch", () => {
    const url = requestUrl(api, options)
    return {
      target: url.origin,
      run: async (signal) => {
        const headers = { accept: "application/json", "x-subscription-token": keyOf(api) }
        // A redirect would send the key elsewhere.
        const response = await http.get({ url, headers, maxRedirects: 0, signal })
        try {
          return await answerOf(response, options.count ?? defaultCount)
        } finally {
          response.close()
        }
      },
    }
  })
