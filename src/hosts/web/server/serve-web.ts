/** A local page on which a person watches calls and answers their questions. */
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { UIContext } from "../../../custom-tools/ui-context.ts"
import type { DurableCalls } from "../../../durable/durable-calls.ts"
import { expectBy, expectFunction } from "../../../model/got.ts"
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import { openServer } from "../../http/open-server.ts"
import { expectPort } from "../../port.ts"
import { Access } from "./access.ts"
import { RequestError, readBody } from "./body.ts"
import { pageFiles } from "./page-files.ts"
import { expectMethod, expectPage, type PageOptions, PageServer, safely } from "./page-server.ts"

/** Options of `serveWeb`. */
export interface WebOptions extends PageOptions {
  /** A local port. Default 0: any free one. */
  readonly port?: number
  /**
   * Returns who sends a request, as the `by` of its answers, such as from a header of a proxy. An error that it throws
   * refuses the request. Default: nobody is named, and gates of people with names cannot be answered on the page.
   */
  readonly who?: (request: IncomingMessage) => string | undefined
}

/** A served page. */
export interface Web extends AsyncDisposable {
  /** The address for a person's browser. The token after `#` lets anybody who has it answer. */
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

/** Admits clients with the token. */
const answerOf =
  (page: PageServer, access: Access, who: NonNullable<WebOptions["who"]>) =>
  async (request: Request, incoming: IncomingMessage, keep: () => void): Promise<Response> => {
    expectMethod(request)
    if (!access.isOwn(request)) throw new RequestError(403, "Only the page itself is answered.")
    const { pathname } = new URL(request.url)
    const isChange = request.method === "POST"
    const file = isChange ? undefined : await page.file(pathname)
    if (file !== undefined) return file
    if (isChange && pathname === "/api/session") {
      const cookie = access.cookieFor((await readBody(request)).token)
      if (cookie === undefined)
        throw new RequestError(403, "This token is not the page's: open the address that was told.")
      return Response.json({ path: access.path }, { headers: { "Set-Cookie": cookie } })
    }
    if (!access.isKnown(request))
      throw new RequestError(401, "Open the printed address, with its token: this browser has none.")
    keep()
    const asked = pathname.startsWith(`${access.path}/`) ? pathname.slice(access.path.length) : ""
    return page.answer(request, asked, () => {
      const by = who(incoming)
      expectBy(by)
      return by
    })
  }

/**
 * Serves a local page on which a person watches calls, answers their questions and manages tasks. The page works alongside
 * your host, which still reads the events: the first answer counts. `about`: an executor of this process, or the calls of a
 * store that another process runs (`openDurableExecutor({ store, runner: false })`), whose stored state the page shows.
 * Rejects if the port is taken. Within your own server, use `webHandler`.
 *
 * @example
 * await using web = await serveWeb(executor, { port: 0 })
 * console.log(web.url) // http://127.0.0.1:49152/#token
 */
export const serveWeb = async (
  about: ToolExecutor | DurableCalls,
  options: WebOptions = {},
): Promise<Web> => {
  expectPage("serveWeb", about, options, ["port", "title", "tools", "maxCalls", "who"])
  expectPort(options.port)
  expectFunction("who", options.who)
  const { port: wanted = 0, who = () => undefined } = options
  await pageFiles()
  const page = new PageServer(about, options)
  let answer: ReturnType<typeof answerOf>
  const server = await openServer(
    (request, incoming, keep) => safely(() => answer(request, incoming, keep)),
    wanted,
    "127.0.0.1",
  ).catch((error) => {
    page.close()
    throw error
  })
  const { port } = server.address() as AddressInfo
  const access = new Access(port)
  answer = answerOf(page, access, who)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      page.close()
      server.close(() => resolve())
      server.closeIdleConnections()
      // Do not wait for clients that do not read the rest.
      setTimeout(() => server.closeAllConnections(), 500).unref()
    })
    return closed
  }
  return {
    url: `http://127.0.0.1:${port}/#${access.token}`,
    port,
    ui: page.ui,
    close,
    [Symbol.asyncDispose]: close,
  }
}
