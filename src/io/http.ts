/**
 * How handlers get something from the web: a small interface, and this machine's answer to it. Every hop of a redirect
 * passes the address guard; the response's body streams, and what is not read of it is never transferred.
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
  /** To another origin a redirect takes only `accept`, `accept-language` and `user-agent` along. */
  readonly headers?: RequestHeaders
  /** Redirects to follow. Default 10; with 0 a redirect is a response like any other. */
  readonly maxRedirects?: number
  /** Told each redirect before anybody is connected to for it. What it throws ends the request, and rejects. */
  readonly onRedirect?: (from: URL, to: URL) => void
  readonly signal?: AbortSignal
}

/** What a server answered. Its body is read on demand. */
export interface HttpResponse {
  /** Where the response came from, after all redirects. */
  readonly url: URL
  /** The URLs that redirected, the first one first. */
  readonly redirectedFrom: ReadonlyArray<URL>
  readonly status: number
  /** The standard name of the status, or the server's own for one that has none. */
  readonly statusText: string
  readonly headers: Readonly<IncomingHttpHeaders>
  /** The body with its content encodings undone, to be read once. Leaving the loop ends the connection. */
  readonly body: AsyncIterable<Uint8Array>
  /** Ends the connection where the body is not read to its end. */
  close(): void
}

/** How handlers fetch. `localHttp` is the one of this machine. */
export interface Http {
  /**
   * Resolves with whatever status the server gave. Rejects with Node's error (with its `code`), with a
   * FetchError (a PrivateAddressError, a redirect that leads nowhere), with what `onRedirect` throws, and with an AbortError
   * once the signal is aborted. Who follows redirects tells `onRedirect` of each: rules hold there by it alone.
   */
  get(request: HttpRequest): Promise<HttpResponse>
}

const defaultHeaders = {
  accept: "*/*",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "stepline",
}

/** They tell nothing that is meant for one server alone, such as a key. */
const headersForAll: ReadonlySet<string> = new Set(["accept", "accept-language", "user-agent"])

const withoutSecrets = (headers: RequestHeaders): RequestHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => headersForAll.has(name.toLowerCase())))

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Gives the head of the response; its body waits to be read. */
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
      // A connection of its own: one from a pool would have passed somebody else's guard.
      agent: false,
      headers: { ...defaultHeaders, ...headers },
      lookup: guard.lookup,
      ...(signal !== undefined && { signal }),
    })
    outgoing.on("response", resolve)
    outgoing.on("error", reject)
    // Such as after a switch of protocols that nobody asked for.
    outgoing.on("close", () => reject(new FetchError("The server closed the connection without an answer.")))
    outgoing.end()
  })

/** Why a URL cannot be asked for, as a sentence; undefined where it can. */
export const problemOfUrl = ({ protocol, username, password }: URL): string | undefined => {
  if (protocol !== "http:" && protocol !== "https:") {
    return `Only http and https URLs can be fetched, not ${protocol}`
  }
  return username === "" && password === ""
    ? undefined
    : "URLs with a user name or a password cannot be fetched. Leave it out."
}

/** Node reads headers as Latin-1. Where their bytes can be UTF-8, that is what was meant, as in browsers. */
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
