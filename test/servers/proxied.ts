/** A way to a server that is in the test's hands. */
import { connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

export interface Passing {
  /** Passes what has come from one side on to the other, or does not. `byClient`: whether the client has sent it. */
  readonly pass: (bytes: Buffer, to: Socket, from: Socket, byClient: boolean) => void
  /** Whether the end of one side ends the other. */
  readonly ends?: () => boolean
}

/** The same store by another way. It ends with the test. */
export const proxied = async (store: string, { pass, ends = () => true }: Passing): Promise<string> => {
  const url = new URL(store)
  const { hostname, port } = url
  const sockets = new Set<Socket>()
  const join = (from: Socket, to: Socket, byClient: boolean) => {
    sockets.add(from)
    from.setNoDelay()
    from.on("data", (bytes) => pass(bytes, to, from, byClient))
    from.on("error", () => {})
    from.on("close", () => ends() && to.destroy())
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    join(socket, upstream, true)
    join(upstream, socket, false)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  url.port = String((server.address() as { readonly port: number }).port)
  return url.href
}
