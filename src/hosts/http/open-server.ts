/** A server of this process's own for one handler. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import { boundConnections, requestTimes } from "../../io/bound-connections.ts"
import { nodeListener } from "./node-listener.ts"

/** Answers a request. `keep` is called for who was let in: that connection is kept as long as it is answered. */
export type Answer = (request: Request, incoming: IncomingMessage, keep: () => void) => Promise<Response>

/** Listens. Rejects if the port is taken. */
export const openServer = async (answer: Answer, port: number, host: string): Promise<Server> => {
  const server = createServer(requestTimes, (incoming, outgoing) => {
    const keep = () => use(incoming.socket, outgoing)
    nodeListener((request) => answer(request, incoming, keep))(incoming, outgoing)
  })
  const use = boundConnections(server)
  await new Promise<void>((resolve, reject) => {
    // A connection that fails later is for its client to try again, and no reason to end the host.
    server.on("error", reject)
    server.listen(port, host, resolve)
  })
  return server
}
