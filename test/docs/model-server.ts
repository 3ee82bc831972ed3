/** A model provider's HTTP API, on a real socket, that answers what a test scripts and keeps what it was asked. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { onTestFinished } from "vitest"

export interface Asked {
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever a client sends
  readonly body: any
}

export const modelServer = async (
  answers: ReadonlyArray<unknown>,
): Promise<{ readonly url: string; readonly asked: ReadonlyArray<Asked> }> => {
  const asked: Array<Asked> = []
  const server = createServer(async (request, response) => {
    const answer = answers[asked.length]
    asked.push({ path: request.url!, body: await json(request) })
    response.writeHead(answer === undefined ? 400 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(answer ?? { error: { message: "The script has no further turn" } }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked }
}
