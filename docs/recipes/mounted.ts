/**
 * The page and an MCP server within a server of your own, behind its sign-in and under its names: one function for each framework.
 *
 *     /admin   the page, on which people watch and answer
 *     /mcp     the tools, for MCP clients
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { ToolExecutor } from "stepline"
import { type McpBuild, type Mounted, mcpHandler, type NodeListener } from "stepline/hosts/mcp"
import { webHandler } from "stepline/hosts/web"

export interface Handlers {
  readonly page: Mounted
  readonly mcp: Mounted
}

/** `userOf`: who a request comes from, by a session or a token; undefined for whoever may not. */
export const handlersOf = (
  executor: ToolExecutor,
  build: McpBuild,
  userOf: (request: Request) => string | undefined,
): Handlers => ({
  // A browser is better sent to where people sign in: `identify` may give a Response, such as a redirect.
  page: webHandler(executor, { base: "/admin", identify: userOf }),
  mcp: mcpHandler(build, { base: "/mcp", identify: userOf }),
})

/** Whatever has web requests: Hono, Next.js, Remix, Deno, Bun. */
export const inHono = (
  app: { all(path: string, handler: (context: { req: { raw: Request } }) => Promise<Response>): unknown },
  { page, mcp }: Handlers,
): void => {
  app.all("/admin/*", (context) => page(context.req.raw, context))
  app.all("/mcp", (context) => mcp(context.req.raw, context))
}

/** Also behind `express.json()`: what it has read is taken from it. */
export const inExpress = (
  app: { use(path: string, listener: NodeListener): unknown },
  { page, mcp }: Handlers,
): void => {
  app.use("/admin", page.node)
  app.use("/mcp", mcp.node)
}

interface FastifyReply {
  hijack(): unknown
  readonly raw: ServerResponse
}
type FastifyHandler = (
  request: { readonly raw: IncomingMessage; readonly body: unknown },
  reply: FastifyReply,
) => void

/** Fastify reads bodies itself, and hands them on. */
export const inFastify = (
  app: { all(path: string, handler: FastifyHandler): unknown },
  { page, mcp }: Handlers,
): void => {
  const mounted =
    ({ node }: Mounted): FastifyHandler =>
    ({ raw, body }, reply) => {
      reply.hijack()
      node(Object.assign(raw, { body }), reply.raw)
    }
  for (const path of ["/admin", "/admin/*"]) app.all(path, mounted(page))
  app.all("/mcp", mounted(mcp))
}

export const inNode = ({ page, mcp }: Handlers): Server =>
  createServer((request, response) => {
    if (request.url === "/mcp") mcp.node(request, response)
    else page.node(request, response)
  })
