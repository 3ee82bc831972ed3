/** Serves one client, which started this process: messages are lines on stdin and stdout. */
import type { McpServerFactory, Transport } from "@modelcontextprotocol/server"
import { loadPeer } from "../load-peer.ts"
import { expectBuild } from "./expect-build.ts"
import { loadServerSdk } from "./load-sdk.ts"
import { messageLines } from "./message-lines.ts"

/** Options of `serveMcpStdio`. */
export interface McpStdioOptions {
  /** Called with faults outside of calls. */
  readonly onError?: (error: Error) => void
  /** Another pair of streams, such as a socket. Default: those of this process, with lines of at most 10 MiB. */
  readonly transport?: Transport
}

/** A served client. */
export interface McpStdio extends AsyncDisposable {
  /** Resolves once the client has disconnected, or the service was disposed of. */
  readonly closed: Promise<void>
}

const maxLineBytes = 10 * 1024 * 1024

interface Wire {
  readonly transport: Transport
  /** Releases the streams. */
  release(): void
}

const ownStreams = async (
  { StdioServerTransport }: typeof import("@modelcontextprotocol/server/stdio"),
  onError: ((error: Error) => void) | undefined,
): Promise<Wire> => {
  const { stdin, stdout } = process
  const sdk = await loadServerSdk()
  const lines = messageLines({ sdk, output: stdout, maxBytes: maxLineBytes, onError })
  const fail = (error: Error) => void lines.destroy(error)
  stdin.once("error", fail).pipe(lines)
  return {
    transport: new StdioServerTransport(lines, stdout, { maxBufferSize: maxLineBytes + 1 }),
    release: () => {
      stdin.off("error", fail).unpipe(lines).pause()
    },
  }
}

/**
 * Serves the client at the other end of stdin and stdout, in the client's revision. Nothing else may write to stdout.
 * Needs the package `@modelcontextprotocol/server`.
 */
export const serveMcpStdio = async (
  build: McpServerFactory,
  { onError, transport: given }: McpStdioOptions = {},
): Promise<McpStdio> => {
  expectBuild(build)
  const stdio = await loadPeer(
    "@modelcontextprotocol/server",
    "2",
    () => import("@modelcontextprotocol/server/stdio"),
    "@modelcontextprotocol/server/stdio",
  )
  const { transport, release } =
    given === undefined ? await ownStreams(stdio, onError) : { transport: given, release: () => {} }
  const handle = stdio.serveStdio(build, { transport, ...(onError && { onerror: onError }) })
  const closed = new Promise<void>((resolve) => {
    // The SDK's own handler, which closes its servers, is set by now.
    const { onclose } = transport
    transport.onclose = () => {
      onclose?.()
      release()
      resolve()
    }
  })
  return { closed, [Symbol.asyncDispose]: () => handle.close() }
}
