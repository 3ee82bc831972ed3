/**
 * Answers the requests of pages about one executor or store, from admitted clients: by a token (`serveWeb`), or by the
 * server that it is mounted in (`webHandler`).
 */
import { randomBytes } from "node:crypto"
import type { UIContext } from "../../../custom-tools/ui-context.ts"
import type { DurableCalls } from "../../../durable/durable-calls.ts"
import { expectOptions, expectText, got, toCount } from "../../../model/got.ts"
import type { ToolRegistry } from "../../../model/registry.ts"
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import { messageOf } from "../../../text/message-of.ts"
import { PageActions } from "./actions.ts"
import { RequestError, readBody } from "./body.ts"
import { ChangeLog } from "./change-log.ts"
import { PageDialogs } from "./dialogs.ts"
import { type EventStreams, eventStream } from "./event-stream.ts"
import { ExecutorSource } from "./executor-source.ts"
import { pageFiles } from "./page-files.ts"
import { icon, pageHtml } from "./page-html.ts"
import type { OnChange, PageSource } from "./source.ts"
import { StoreSource } from "./store-source.ts"

/** Options of every page. */
export interface PageOptions {
  /** The heading of the page. Default `"stepline"`. */
  readonly title?: string
  /** The tools that can be called from the page of an executor. Default: none; the page only watches and answers. */
  readonly tools?: ToolRegistry
  /** How many calls are shown; the oldest that have ended are dropped. Default 20,000. */
  readonly maxCalls?: number
}

const maxPages = 32

/** Sent with every response. */
const safeHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
}

const respond = (body: string, type: string): Response =>
  new Response(body, { headers: { "Content-Type": `${type}; charset=utf-8` } })

/** Turns an error into a response, and adds the headers of every response. */
export const safely = async (answer: () => Promise<Response>): Promise<Response> => {
  const response = await answer().catch((error: unknown) => {
    const status = error instanceof RequestError ? error.status : 500
    return Response.json({ message: messageOf(error) }, { status })
  })
  for (const [name, value] of Object.entries(safeHeaders)) response.headers.set(name, value)
  return response
}

/** Recognizes an executor or a store by its methods, because two copies of stepline can be loaded. */
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

/** Throws a TypeError for invalid arguments of the function named `of`, which has these options. */
export const expectPage = (
  of: string,
  about: unknown,
  options: PageOptions,
  keys: ReadonlyArray<string>,
): void => {
  const { watch, inbox } = Object(about) as { readonly watch?: unknown; readonly inbox?: unknown }
  if (typeof watch !== "function" && typeof inbox !== "function")
    throw new TypeError(`Expected a ToolExecutor, or the calls of a store, ${got(about)}`)
  expectOptions(of, options, keys)
  expectText("title", options.title)
  const tools: { readonly definitions?: unknown } | undefined = options.tools
  if (tools !== undefined && typeof tools?.definitions !== "function")
    throw new TypeError(`Expected \`tools\` to be a ToolRegistry, ${got(tools)}`)
}

/** The pages about one executor or store. */
export class PageServer {
  /** A screen for the tools of other agents. */
  readonly ui: UIContext
  private readonly title: string
  private readonly log: ChangeLog
  private readonly dialogs: PageDialogs
  private readonly actions: PageActions
  private readonly streams: EventStreams
  private readonly stop: () => void

  constructor(about: ToolExecutor | DurableCalls, options: PageOptions) {
    const { title = "stepline", tools } = options
    const maxCalls = toCount("maxCalls", options.maxCalls, 20_000)
    const isStore = "inbox" in about
    this.title = title
    this.log = new ChangeLog({ title, calls: tools !== undefined, ...(isStore && { isStore }) })
    const source = sourceOf(about, tools, { tell: this.log.add, maxCalls })
    this.dialogs = new PageDialogs(this.log.add, (callId) => source.active(callId))
    this.ui = this.dialogs.ui
    this.actions = new PageActions(source, this.log, this.dialogs)
    this.streams = { log: this.log, epoch: randomBytes(6).toString("base64url"), open: new Set() }
    this.stop = source.start()
  }

  /** Returns a public file, which contains nothing about the executor. */
  async file(path: string): Promise<Response | undefined> {
    if (path === "/") return respond(pageHtml(this.title), "text/html")
    if (path === "/icon.svg") return respond(icon, "image/svg+xml")
    if (path === "/page.js") return respond((await pageFiles()).script, "text/javascript")
    if (path === "/page.css") return respond((await pageFiles()).style, "text/css")
    return undefined
  }

  /** Answers a page's request. `by`: who answers. Rejects with a RequestError for an invalid one. */
  async answer(request: Request, asked: string, by: () => string | undefined): Promise<Response> {
    const isChange = request.method === "POST"
    if (!isChange && asked === "/events") {
      if (this.streams.open.size >= maxPages)
        throw new RequestError(503, "Too many pages are open: close some.")
      return eventStream(this.streams, request)
    }
    const answered = isChange
      ? await this.actions.perform(asked, await readBody(request), by())
      : this.actions.read(asked, new URL(request.url).searchParams)
    if (answered === undefined) throw new RequestError(404, "There is nothing here, or no longer.")
    return Response.json(answered)
  }

  /** Notifies the pages that they are over, and ends them. */
  close(): void {
    this.dialogs.close()
    this.stop()
    this.log.add({ _tag: "ShutDown" })
    this.log.flush()
    for (const end of this.streams.open) end()
  }
}

/** Throws a RequestError for requests of other methods. */
export const expectMethod = ({ method }: Request): void => {
  if (method !== "POST" && method !== "GET") throw new RequestError(405, "Only GET and POST are answered.")
}
