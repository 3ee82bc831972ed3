/** Fetches a text from the web. Memory is bounded for bodies of any length, also compressed ones. */
import { type Http, type HttpResponse, localHttp } from "../io/http.ts"
import { httpErrorMessage } from "../io/http-status.ts"
import { BodyHead, decodeText, isBinaryType } from "../io/http-text.ts"
import type { EffectHandler } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import { textOutput } from "../output/output.ts"
import { headOf, maxOutputBytes } from "../text/truncation.ts"
import { answerHeader } from "./answer-header.ts"
import { networkHandler } from "./network-handler.ts"
import { heldToRules } from "./redirect-rules.ts"
import { parseUrl } from "./validate-url.ts"

/** Which address to fetch, and how much of it. */
export interface FetchUrlOptions {
  /** Absolute, http or https. */
  readonly url: string
  /** In bytes of UTF-8. Default and maximum: 50,000. */
  readonly maxLength?: number
}

/** The `details` of a fetched response. */
export interface FetchUrlDetails {
  /** The final URL, after all redirects. */
  readonly url: string
  readonly status: number
  /** As sent by the server; empty if it sent none. */
  readonly contentType: string
  /** In bytes, without content encodings; undefined if it is unknown because the body was not read to its end. */
  readonly size?: number
  readonly truncated?: boolean
}

/** In any charset, a character needs at most this many times its bytes in UTF-8. */
const widestCharset = 2
/** Minimum bytes to read, to detect the charset and the kind of the content. */
const leastBytes = 1024

const contentTypeOf = ({ headers }: HttpResponse): string => headers["content-type"] ?? ""

/** The announced size, if it is not the size of compressed content. */
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
 * Outputs the lines `[URL: …]`, `[Content-Type: …]` and `[Size: … bytes]`, an empty line, and the body as text. A body over
 * 50,000 bytes is cut with a note, and its rest is not transferred. Binary content is only described. An error status is an
 * Error such as `HTTP error: 404 Not Found`; so is a time-out after 30 s, with the text received so far.
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
