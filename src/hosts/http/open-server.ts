/** An HTTP server for one handler. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import { boundConnections, requestTimes } from "../../io/bound-connections.ts"
import { nodeListener } from "./node-listener.ts"

/** Answers a request. Call `keep` for an admitted client: its connection is kept until the response ends. */
export type Answer = (request: Request, incoming: IncomingMessage, keep: () => void) => Promise<Response>

/** Starts to listen. Rejects if the port is taken. */
export const openServer = async (answer: Answer, port: number, host: string): Promise<Server> => {
  const server = createServer(requestTimes, (incoming, outgoing) => {
    const keep = () => use(incoming.socket, outgoing)
    nodeListener((request) => answer(request, incoming, keep))(incoming, outgoing)
  })
  const use = boundConnections(server)
  await new Promise<void>((resolve, reject) => {
    // Never removed: a connection that fails later must not end the host.
    server.on("error", reject)
    server.listen(port, host, resolve)
  })
  return server
}
