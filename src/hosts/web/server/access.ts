/**
 * Access control: only a page of this server, in a browser that received the token. Other pages, and foreign DNS names of
 * this machine, are refused before anything is read.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Compares in constant time. */
const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digest(given), digest(wanted))

/** The names of this machine for a browser on it. */
const hostsOf = (port: number): ReadonlySet<string> =>
  new Set(["127.0.0.1", "localhost", "[::1]"].map((name) => (port === 80 ? name : `${name}:${port}`)))

/** Whether a request comes from a page of its own server or from no page, as far as the browser reports it. */
export const isOfPage = ({ method, headers }: Request): boolean => {
  const site = headers.get("sec-fetch-site")
  return site === null || site === "same-origin" || (site === "none" && method !== "POST")
}

/** The token and the cookie of one server. */
export class Access {
  readonly token: string
  /** The path of the page's requests. Only they carry the cookie: cookies ignore ports, and no other server knows this path. */
  readonly path = `/api/${randomBytes(16).toString("base64url")}`
  /** The value of the cookie. The token does not reveal it, nor does it reveal the token. */
  private readonly session = randomBytes(24).toString("base64url")
  private readonly cookie: string
  private readonly hosts: ReadonlySet<string>

  constructor(port: number, token = randomBytes(24).toString("base64url")) {
    this.token = token
    this.cookie = `stepline-${port}`
    this.hosts = hostsOf(port)
  }

  /** Whether a request names this server, and comes from a page of it or from no page. */
  isOwn(request: Request): boolean {
    const host = request.headers.get("host")
    const origin = request.headers.get("origin")
    if (host === null || !this.hosts.has(host)) return false
    if (origin !== null ? origin !== `http://${host}` : request.method === "POST") return false
    return isOfPage(request)
  }

  /** The cookie for a client with the token; undefined for others. */
  cookieFor(token: unknown): string | undefined {
    if (typeof token !== "string" || !isSame(token, this.token)) return undefined
    return `${this.cookie}=${this.session}; Path=${this.path}; HttpOnly; SameSite=Strict`
  }

  isKnown({ headers }: Request): boolean {
    const pairs = (headers.get("cookie") ?? "").split(/; */).map((pair) => pair.split("="))
    return pairs.some(
      ([name, value]) => name === this.cookie && value !== undefined && isSame(value, this.session),
    )
  }
}
