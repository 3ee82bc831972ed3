/** Serves one client that started this process: messages are lines on stdin and stdout. */
import type { McpServerFactory, Transport } from "@modelcontextprotocol/server"
import { loadPeer } from "../load-peer.ts"

/** How a client is served over standard streams. */
export interface McpStdioOptions {
  /** Told what goes wrong beside the calls. */
  readonly onError?: (error: Error) => void
  /** Another pair of streams, such as a socket. Default: those of this process. */
  readonly transport?: Transport
}

/** A client that is being served. */
export interface McpStdio extends AsyncDisposable {
  /** Resolves once the client has gone, or it was disposed of. */
  readonly closed: Promise<void>
}

/**
 * Serves the client at the other end of stdin and stdout, in the revision that it speaks. Nothing else may write to stdout.
 * Needs the package `@modelcontextprotocol/server`.
 */
export const serveMcpStdio = async (
  build: McpServerFactory,
  { onError, transport: given }: McpStdioOptions = {},
): Promise<McpStdio> => {
  const { serveStdio, StdioServerTransport } = await loadPeer(
    "@modelcontextprotocol/server",
    "2",
    () => import("@modelcontextprotocol/server/stdio"),
  )
  const transport = given ?? new StdioServerTransport()
  const handle = serveStdio(build, { transport, ...(onError && { onerror: onError }) })
  const closed = new Promise<void>((resolve) => {
    // The SDK has set its own by now, and closes its servers in it.
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
  return { closed, [Symbol.asyncDispose]: () => handle.close() }
}
