/** Gets a text from the web. Memory is bounded for bodies of any length, compressed ones too. */
import { type Http, type HttpResponse, localHttp } from "../io/http.ts"
import { httpErrorMessage } from "../io/http-status.ts"
import { BodyHead, decodeText, isBinaryType } from "../io/http-text.ts"
import { textOutput } from "../output/output.ts"
import type { EffectHandler } from "../pipeline/model/handler.ts"
import { Step } from "../pipeline/model/step.ts"
import { headOf, maxOutputBytes } from "../text/truncation.ts"
import { answerHeader } from "./answer-header.ts"
import { networkHandler } from "./network-handler.ts"
import { heldToRules } from "./redirect-rules.ts"
import { parseUrl } from "./validate-url.ts"

/** Which address to fetch, and how much of it. */
export interface FetchUrlOptions {
  /** Absolute, http or https. */
  readonly url: string
  /** In bytes of UTF-8. Default and most: 50,000. */
  readonly maxLength?: number
}

/** The `details` of an answer that was fetched. */
export interface FetchUrlDetails {
  /** Where the content came from, after all redirects. */
  readonly url: string
  readonly status: number
  /** As the server gave it; empty where it gave none. */
  readonly contentType: string
  /** In bytes, without content encodings; undefined where it is not known because the body was not read to its end. */
  readonly size?: number
  readonly truncated?: boolean
}

/** No charset takes more bytes for a character than this many times what UTF-8 takes for it. */
const widestCharset = 2
/** What the charset and the kind of the content are read from, however short the answer shall be. */
const leastBytes = 1024

const contentTypeOf = ({ headers }: HttpResponse): string => headers["content-type"] ?? ""

/** The size that the server announced; that of compressed content says nothing of the content. */
const announcedSize = ({ headers }: HttpResponse): number | undefined => {
  const length = headers["content-length"]
  return length === undefined || headers["content-encoding"] !== undefined ? undefined : Number(length)
}

const sizeOf = (response: HttpResponse, body: BodyHead): number | undefined =>
  body.isComplete ? body.bytes.length : announcedSize(response)

const headerOf = (response: HttpResponse, size: number | undefined): string =>
  answerHeader([
    ...response.redirectedFrom.map((url) => ["Redirected from", url.href] as const),
    ["URL", response.url.href],
    ["Content-Type", contentTypeOf(response) || "not given"],
    ["Size", size === undefined ? "unknown" : `${size} bytes`],
  ])

const truncationNote = (shown: number, size: number | undefined): string =>
  size === undefined
    ? `[truncated: these are the first ${shown} bytes; how many there are is not known]`
    : `[truncated: these are the first ${shown} bytes; the content has ${size}]`

const output = (response: HttpResponse, size: number | undefined, text: string, truncated = false): Step => {
  const details: FetchUrlDetails = {
    url: response.url.href,
    status: response.status,
    contentType: contentTypeOf(response),
    ...(size !== undefined && { size }),
    ...(truncated && { truncated }),
  }
  return Step.Output({ ...textOutput(`${headerOf(response, size)}\n\n${text}`), details })
}

const binaryAnswer = (response: HttpResponse, size: number | undefined): Step =>
  output(
    response,
    size,
    "(binary content, not shown. To work with it, download it with the shell tool, for example with curl -o.)",
  )

const textAnswer = (response: HttpResponse, body: BodyHead, maxBytes: number): Step => {
  const size = sizeOf(response, body)
  const text = decodeText(body, contentTypeOf(response))
  if (text === undefined) return binaryAnswer(response, size)
  const shown = headOf(text, maxBytes)
  if (body.isComplete && shown.length === text.length) return output(response, size, text || "(empty body)")
  const note = truncationNote(Buffer.byteLength(shown), size)
  return output(response, size, `${shown}\n${note}`, true)
}

/**
 * Outputs the lines `[URL: …]`, `[Content-Type: …]` and `[Size: … bytes]`, an empty line, and the body as text. A body
 * past 50,000 bytes is cut with a note, and not transferred further. Binary content is named. A status that is no
 * success is an Error `HTTP error: 404 Not Found`; so is a time-out after 30 s, with what was received until then.
 */
export const FetchUrl = (options: FetchUrlOptions, http: Http = localHttp()): EffectHandler =>
  networkHandler("FetchUrl", (context) => {
    const maxBytes = Math.min(options.maxLength ?? maxOutputBytes, maxOutputBytes)
    const body = new BodyHead(Math.max(maxBytes * widestCharset, leastBytes))
    let response: HttpResponse | undefined
    return {
      target: options.url,
      run: async (signal) => {
        const url = parseUrl(options.url)
        response = await http.get({ url, onRedirect: heldToRules(context, url), signal })
        const { status } = response
        try {
          if (status < 200 || status > 299) return Step.Error(httpErrorMessage(response))
          if (isBinaryType(contentTypeOf(response))) return binaryAnswer(response, announcedSize(response))
          await body.readFrom(response.body)
          return textAnswer(response, body, maxBytes)
        } finally {
          response.close()
        }
      },
      soFar: () => {
        const text = response && decodeText(body, contentTypeOf(response))
        return response && text
          ? `${headerOf(response, announcedSize(response))}\n\n${headOf(text, maxBytes)}`
          : undefined
      },
    }
  })
