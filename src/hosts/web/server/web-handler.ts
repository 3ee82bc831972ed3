/** The page within another server, which authenticates its users. */
import type { UIContext } from "../../../custom-tools/ui-context.ts"
import type { DurableCalls } from "../../../durable/durable-calls.ts"
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import { expectMount, identified, type Mounted, type MountOptions, toBase } from "../../http/mount.ts"
import { nodeListener } from "../../http/node-listener.ts"
import { isOfPage } from "./access.ts"
import { RequestError } from "./body.ts"
import { expectMethod, expectPage, type PageOptions, PageServer, safely } from "./page-server.ts"

/** Options of `webHandler`. */
export interface WebHandlerOptions extends PageOptions, MountOptions {
  /** The path of the page, such as `"/admin"`. Default: the root. */
  readonly base?: string
}

/** A page that is mounted in another server. */
export interface WebHandler extends Mounted {
  /** A screen for the tools of other agents, as in `serveWeb`. */
  readonly ui: UIContext
}

const answerOf = async (
  page: PageServer,
  request: Request,
  path: string | undefined,
  by: string,
): Promise<Response> => {
  expectMethod(request)
  const file = path === undefined || request.method === "POST" ? undefined : await page.file(path)
  if (file !== undefined) return file
  // Addresses within the page are relative, because a proxy can use another path.
  if (path === "") {
    const Location = `${new URL(request.url).pathname.split("/").at(-1)}/`
    return new Response(null, { status: 307, headers: { Location } })
  }
  if (!isOfPage(request)) throw new RequestError(403, "Only the page itself is answered.")
  return page.answer(request, path?.startsWith("/api/") ? path.slice("/api".length) : "", () => by)
}

/**
 * The page of `serveWeb` for your own server, under one of its paths and behind its own sign-in: a function from a web
 * request to its response, and `node` for `node:http`, Express and Fastify. That server must check Host names; `identify`
 * returns who sends a request. Throws a TypeError for invalid options.
 *
 * @example
 * const page = webHandler(executor, { base: "/admin", identify: (request) => userOf(request)?.name })
 * app.all("/admin/*", (c) => page(c.req.raw)) // Hono
 * app.use("/admin", page.node) // Express
 */
export const webHandler = (about: ToolExecutor | DurableCalls, options: WebHandlerOptions): WebHandler => {
  expectPage("webHandler", about, options, ["base", "identify", "title", "tools", "maxCalls"])
  expectMount(options)
  const base = toBase(options.base)
  const page = new PageServer(about, options)
  const handle = async (request: Request, context?: unknown): Promise<Response> => {
    const by = await identified(options, request, context)
    if (typeof by !== "string") return by
    const { pathname } = new URL(request.url)
    const isWithin = pathname === base || pathname.startsWith(`${base}/`)
    return safely(() => answerOf(page, request, isWithin ? pathname.slice(base.length) : undefined, by))
  }
  const close = async () => page.close()
  return Object.assign(handle, {
    node: nodeListener(handle),
    ui: page.ui,
    close,
    [Symbol.asyncDispose]: close,
  })
}
