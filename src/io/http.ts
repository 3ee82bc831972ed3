/**
 * How handlers fetch from the web: a small interface, and its implementation for this machine. Every redirect passes the
 * address guard; the response's body streams, and only what is read is transferred.
 */
import { isUtf8 } from "node:buffer"
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  STATUS_CODES,
} from "node:http"
import { request as requestHttps } from "node:https"
import { AddressGuard, type AddressGuardOptions, hostnameOf } from "./address-guard.ts"
import { FetchError } from "./fetch-error.ts"
import { decodeContent } from "./http-content.ts"
import { shownUrl } from "./shown-url.ts"

type RequestHeaders = Readonly<Record<string, string>>

/** A GET request. */
export interface HttpRequest {
  /** http or https. */
  readonly url: URL
  /** A redirect to another origin keeps only `accept`, `accept-language` and `user-agent`. */
  readonly headers?: RequestHeaders
  /** Redirects to follow. Default 10; with 0 a redirect is a response like any other. */
  readonly maxRedirects?: number
  /** Called for each redirect, before connecting. An error that it throws ends and rejects the request. */
  readonly onRedirect?: (from: URL, to: URL) => void
  readonly signal?: AbortSignal
}

/** A server's response. Its body is read on demand. */
export interface HttpResponse {
  /** The final URL, after all redirects. */
  readonly url: URL
  /** The URLs that redirected, in order. */
  readonly redirectedFrom: ReadonlyArray<URL>
  readonly status: number
  /** The standard reason phrase of the status, or the server's if there is none. */
  readonly statusText: string
  readonly headers: Readonly<IncomingHttpHeaders>
  /** The body with its content encodings undone, to be read once. Leaving the loop ends the connection. */
  readonly body: AsyncIterable<Uint8Array>
  /** Ends the connection. Needed if the body is not read to its end. */
  close(): void
}

/** How handlers fetch. `localHttp` is this machine's implementation. */
export interface Http {
  /**
   * Resolves whatever the status. Rejects with Node's error (with its `code`), with a FetchError (a PrivateAddressError, an
   * invalid redirect), with what `onRedirect` throws, and with an AbortError on abort. An implementation that follows
   * redirects must call `onRedirect` for each: rules are enforced only there.
   */
  get(request: HttpRequest): Promise<HttpResponse>
}

const defaultHeaders = {
  accept: "*/*",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "stepline",
}

/** Headers that contain nothing for one server only, such as a key. */
const headersForAll: ReadonlySet<string> = new Set(["accept", "accept-language", "user-agent"])

const withoutSecrets = (headers: RequestHeaders): RequestHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => headersForAll.has(name.toLowerCase())))

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Sends a request. Resolves with the head of the response, before its body is read. */
const send = (
  url: URL,
  headers: RequestHeaders,
  { signal }: HttpRequest,
  guard: AddressGuard,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    guard.checkLiteral(hostnameOf(url))
    const start = url.protocol === "https:" ? requestHttps : requestHttp
    const outgoing = start(url, {
      // A new connection: a pooled one would have passed another guard.
      agent: false,
      headers: { ...defaultHeaders, ...headers },
      lookup: guard.lookup,
      ...(signal !== undefined && { signal }),
    })
    outgoing.on("response", resolve)
    outgoing.on("error", reject)
    // For example after an unrequested protocol switch.
    outgoing.on("close", () => reject(new FetchError("The server closed the connection without an answer.")))
    outgoing.end()
  })

/** Returns why a URL cannot be fetched, as a sentence; undefined if it can. */
export const problemOfUrl = ({ protocol, username, password }: URL): string | undefined => {
  if (protocol !== "http:" && protocol !== "https:") {
    return `Only http and https URLs can be fetched, not ${protocol}`
  }
  return username === "" && password === ""
    ? undefined
    : "URLs with a user name or a password cannot be fetched. Leave it out."
}

/** Node reads headers as Latin-1. Bytes that are valid UTF-8 are decoded as such, as in browsers. */
const decodeLocation = (header: string): string => {
  const bytes = Buffer.from(header, "latin1")
  return isUtf8(bytes) ? bytes.toString() : header
}

const redirectTarget = (from: URL, header: string): URL => {
  const location = decodeLocation(header)
  if (!URL.canParse(location, from.href)) {
    throw new FetchError(`${shownUrl(from)} redirects to an invalid URL: ${shownUrl(location)}`)
  }
  const target = new URL(location, from)
  const problem = problemOfUrl(target)
  if (problem !== undefined)
    throw new FetchError(`${shownUrl(from)} redirects to ${shownUrl(location)}. ${problem}`)
  return target
}

/** HTTP from this machine. */
export const localHttp = (options: AddressGuardOptions = {}): Http => {
  const guard = new AddressGuard(options)
  return {
    get: async (request) => {
      const { maxRedirects = 10 } = request
      const redirectedFrom: Array<URL> = []
      for (let { url, headers: sent = {} } = request; ; ) {
        const message = await send(url, sent, request, guard)
        const { statusCode = 0, statusMessage = "", headers } = message
        if (maxRedirects > 0 && redirects.has(statusCode) && headers.location !== undefined) {
          message.destroy()
          redirectedFrom.push(url)
          if (redirectedFrom.length > maxRedirects) {
            throw new FetchError(`More than ${maxRedirects} redirects, the last one from ${shownUrl(url)}`)
          }
          const target = redirectTarget(url, headers.location)
          request.onRedirect?.(url, target)
          if (target.origin !== url.origin) sent = withoutSecrets(sent)
          url = target
          continue
        }
        return {
          url,
          redirectedFrom,
          status: statusCode,
          statusText: STATUS_CODES[statusCode] ?? statusMessage,
          headers,
          body: decodeContent(message, headers["content-encoding"]),
          close: () => message.destroy(),
        }
      }
    },
  }
}
