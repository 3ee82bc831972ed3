/** A local page on which a person watches calls and answers their questions. */
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { UIContext } from "../../../custom-tools/ui-context.ts"
import type { DurableCalls } from "../../../durable/durable-calls.ts"
import { boundConnections, requestTimes, type UseConnection } from "../../../io/bound-connections.ts"
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import {
  expectBy,
  expectFunction,
  expectOptions,
  expectText,
  got,
  toCount,
} from "../../../pipeline/model/got.ts"
import type { ToolRegistry } from "../../../pipeline/model/registry.ts"
import { messageOf } from "../../../text/message-of.ts"
import { expectPort } from "../../port.ts"
import { Access, safeHeaders } from "./access.ts"
import { PageActions } from "./actions.ts"
import { RequestError, readBody } from "./body.ts"
import { ChangeLog } from "./change-log.ts"
import { PageDialogs } from "./dialogs.ts"
import { streamEvents } from "./event-stream.ts"
import { ExecutorSource } from "./executor-source.ts"
import { type PageFiles, pageFiles } from "./page-files.ts"
import { icon, pageHtml } from "./page-html.ts"
import type { OnChange, PageSource } from "./source.ts"
import { StoreSource } from "./store-source.ts"

/** Options of `serveWeb`. */
export interface WebOptions {
  /** A port of this machine. Default 0: any free one. */
  readonly port?: number
  /** The heading of the page. Default `"stepline"`. */
  readonly title?: string
  /** The tools that can be called from the page of an executor. Default: none; the page only watches and answers. */
  readonly tools?: ToolRegistry
  /**
   * Who a request comes from, as the `by` of its answers, such as from a header of a proxy in front. What it throws refuses the request.
   * Default: nobody is named, and gates of people with names cannot be answered on the page.
   */
  readonly who?: (request: IncomingMessage) => string | undefined
  /** How many calls are shown; the oldest that have ended are dropped. Default 20,000. */
  readonly maxCalls?: number
}

/** A served page. */
export interface Web extends AsyncDisposable {
  /** The address for a person's browser. The token behind `#` gives anybody who has it the right to answer. */
  readonly url: string
  readonly port: number
  /**
   * A screen for the tools of other agents: their questions appear in the inbox, their messages above it. For
   * `CustomTools.setUIContext(web.ui, true)`, unless the tools have another screen.
   */
  readonly ui: UIContext
  /** Ends the page. Calls are not affected. */
  close(): Promise<void>
}

const maxPages = 32

interface Page {
  readonly access: Access
  readonly actions: PageActions
  readonly log: ChangeLog
  readonly files: PageFiles
  readonly epoch: string
  readonly title: string
  /** The connections that receive changes. */
  readonly streams: Set<ServerResponse>
  readonly use: UseConnection
  readonly who: NonNullable<WebOptions["who"]>
}

const send = (response: ServerResponse, status: number, type: string, body: string): void => {
  response.writeHead(status, { "Content-Type": `${type}; charset=utf-8` })
  response.end(body)
}

const sendJson = (response: ServerResponse, status: number, value: object): void =>
  send(response, status, "application/json", JSON.stringify(value))

/** Public files, which contain nothing of the executor. */
const sendFile = ({ files, title }: Page, path: string, response: ServerResponse): boolean => {
  if (path === "/") send(response, 200, "text/html", pageHtml(title))
  else if (path === "/page.js") send(response, 200, "text/javascript", files.script)
  else if (path === "/icon.svg") send(response, 200, "image/svg+xml", icon)
  else if (path === "/page.css") send(response, 200, "text/css", files.style)
  else return false
  return true
}

const beginSession = async (
  { access }: Page,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const cookie = access.cookieFor((await readBody(request)).token)
  if (cookie === undefined)
    throw new RequestError(403, "This token is not the page's: open the address that was told.")
  response.setHeader("Set-Cookie", cookie)
  sendJson(response, 200, { path: access.path })
}

const openStream = (
  { streams, log, epoch }: Page,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  if (streams.size >= maxPages) throw new RequestError(503, "Too many pages are open: close some.")
  streams.add(response)
  response.on("close", () => streams.delete(response))
  const lastEventId = request.headers["last-event-id"]
  streamEvents(response, log, {
    epoch,
    lastEventId: typeof lastEventId === "string" ? lastEventId : undefined,
  })
}

const answer = async (page: Page, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { access, actions } = page
  const { method, headers, url = "/" } = request
  const isChange = method === "POST"
  if (!isChange && method !== "GET") throw new RequestError(405, "Only GET and POST are answered.")
  if (!access.isOwn(headers, isChange)) throw new RequestError(403, "Only the page itself is answered.")
  if (!URL.canParse(url, "http://localhost")) throw new RequestError(400, "That is no address.")
  const { pathname, searchParams } = new URL(url, "http://localhost")
  if (!isChange && sendFile(page, pathname, response)) return
  if (isChange && pathname === "/api/session") return beginSession(page, request, response)
  if (!access.isKnown(headers))
    throw new RequestError(401, "Open the address that was told: this browser has no token.")
  page.use(request.socket, response)
  const asked = pathname.startsWith(`${access.path}/`) ? pathname.slice(access.path.length) : ""
  if (!isChange && asked === "/events") return openStream(page, request, response)
  const answered = isChange
    ? await actions.perform(asked, await readBody(request), personOf(page, request))
    : actions.read(asked, searchParams)
  if (answered === undefined) throw new RequestError(404, "There is nothing here, or no longer.")
  sendJson(response, 200, answered)
}

const personOf = ({ who }: Page, request: IncomingMessage): string | undefined => {
  const by = who(request)
  expectBy(by)
  return by
}

const listen = (page: { current?: Page }, port: number): Promise<Server> => {
  const server = createServer(requestTimes, (request, response) => {
    for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value)
    void answer(page.current!, request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy()
      const status = error instanceof RequestError ? error.status : 500
      // The rest of a refused request is not read.
      response.setHeader("Connection", "close")
      sendJson(response, status, { message: messageOf(error) })
    })
  })
  return new Promise((resolve, reject) => {
    // A connection that fails later is for its browser to retry, and no reason to end the host.
    server.on("error", reject)
    server.listen(port, "127.0.0.1", () => resolve(server))
  })
}

/** Recognizes an executor or a store by its methods: two copies of stepline may be loaded. */
const sourceOf = (
  about: ToolExecutor | DurableCalls,
  tools: ToolRegistry | undefined,
  options: { readonly tell: OnChange; readonly maxCalls: number },
): PageSource => {
  if (!("inbox" in about)) return new ExecutorSource(about, { ...options, tools })
  if (tools === undefined) return new StoreSource(about, options)
  throw new TypeError(
    "Expected no `tools` for the page of a store: its calls are run by another process. Leave them out.",
  )
}

/** Throws a TypeError for invalid arguments. */
const expectServed = (about: unknown, options: WebOptions): void => {
  const { watch, inbox } = Object(about) as { readonly watch?: unknown; readonly inbox?: unknown }
  if (typeof watch !== "function" && typeof inbox !== "function")
    throw new TypeError(`Expected a ToolExecutor, or the calls of a store, ${got(about)}`)
  expectOptions("serveWeb", options, ["port", "title", "tools", "maxCalls", "who"])
  expectPort(options.port)
  expectText("title", options.title)
  expectFunction("who", options.who)
  const tools: { readonly definitions?: unknown } | undefined = options.tools
  if (tools !== undefined && typeof tools?.definitions !== "function")
    throw new TypeError(`Expected \`tools\` to be a ToolRegistry, ${got(tools)}`)
}

/**
 * Serves a local page on which a person watches calls, answers their questions and manages tasks. The page works besides
 * your host, which still reads the events: the first answer counts. `about`: an executor of this process,
 * or the calls of a store that another process runs (`openDurableExecutor({ store, runner: false })`), of which the page shows what is
 * stored. Rejects if the port is taken.
 *
 * @example
 * await using web = await serveWeb(executor, { port: 0 })
 * console.log(web.url) // http://127.0.0.1:49152/#token
 */
export const serveWeb = async (
  about: ToolExecutor | DurableCalls,
  options: WebOptions = {},
): Promise<Web> => {
  expectServed(about, options)
  const { port: wanted = 0, title = "stepline", tools, who = () => undefined } = options
  const maxCalls = toCount("maxCalls", options.maxCalls, 20_000)
  const files = await pageFiles()
  const isStore = "inbox" in about
  const log = new ChangeLog({ title, calls: tools !== undefined, ...(isStore && { isStore }) })
  const source = sourceOf(about, tools, { tell: log.add, maxCalls })
  const page: { current?: Page } = {}
  const server = await listen(page, wanted)
  const { port } = server.address() as AddressInfo
  const access = new Access(port)
  const streams = new Set<ServerResponse>()
  const epoch = randomBytes(6).toString("base64url")
  const dialogs = new PageDialogs(log.add, (callId) => source.active(callId))
  const actions = new PageActions(source, log, dialogs)
  const use = boundConnections(server)
  page.current = { access, actions, log, files, epoch, title, streams, use, who }
  const stop = source.start()
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      dialogs.close()
      stop()
      log.add({ _tag: "ShutDown" })
      log.flush()
      for (const response of streams) response.end()
      server.close(() => resolve())
      server.closeIdleConnections()
      // Clients that do not read the rest are not waited for.
      setTimeout(() => server.closeAllConnections(), 500).unref()
    })
    return closed
  }
  return {
    url: `http://127.0.0.1:${port}/#${access.token}`,
    port,
    ui: dialogs.ui,
    close,
    [Symbol.asyncDispose]: close,
  }
}
