// @module-tag waits
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { boundConnections } from "../../src/io/bound-connections.ts"

/** A server of three connections, which are in use while their requests are answered. */
const serve = async () => {
  const responses: Array<ServerResponse> = []
  const server = createServer((request, response) => {
    use(request.socket, response)
    responses.push(response)
  })
  const use = boundConnections(server, 3)
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const open = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => {}).resume()
    await once(server, "connection")
    return socket
  }
  const ask = async () => {
    const socket = await open()
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await once(server, "request")
    return { socket, response: responses.at(-1)! }
  }
  return { open, ask }
}

const areClosed = (...sockets: ReadonlyArray<Socket>) => sockets.map(({ closed }) => closed)

it("gives the place of the oldest connection that is not in use to a new one, and none of who was let in", async () => {
  const { open, ask } = await serve()
  const first = await ask()
  const silent = [await open(), await open(), await open()] as const
  await once(silent[0], "close")
  expect(areClosed(first.socket, silent[1], silent[2])).toEqual([false, false, false])
  const others = [await ask(), await ask()]
  await expect.poll(() => areClosed(...silent)).toEqual([true, true, true])
  const refused = await open()
  await once(refused, "close")
  expect(areClosed(first.socket, ...others.map(({ socket }) => socket))).toEqual([false, false, false])
  const answered = once(first.response, "close")
  first.response.end()
  await answered
  const last = await open()
  await once(first.socket, "close")
  expect(areClosed(last)).toEqual([false])
})
