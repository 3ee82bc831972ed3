// @module-tag waits
/** Connections that say nothing, to the servers of a process that may have few descriptors. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect, it, onTestFinished } from "vitest"
import { revisions, stockClient, textOfResult } from "../hosts/mcp/connected.ts"
import { useCli } from "./built-cli.ts"

const cli = useCli()

/** More than a process may have that is served by `start`. */
const flood = (port: number): Array<Socket> => {
  const sockets = Array.from({ length: 300 }, () =>
    connect(port, "127.0.0.1")
      .on("error", () => {})
      .resume(),
  )
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return sockets
}

/** `stepline mcp` with both of its servers, and 256 descriptors. */
const start = async () => {
  const cwd = await mkdtemp(join(tmpdir(), "stepline-connections-"))
  const options = ["--no-discovery", "--http", "0", "--ui", "--allow", "shell=^printf"]
  const command = ["-c", 'ulimit -n 256; exec "$@"', "bash", process.execPath, cli.path, "mcp", ...options]
  const env = { ...process.env, HOME: cwd, STEPLINE_MCP_TOKEN: "open sesame" }
  const child = spawn("bash", command, { cwd, env, stdio: ["ignore", "ignore", "pipe"] })
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await once(child, "close")
    await rm(cwd, { recursive: true, force: true })
  })
  const told = createInterface({ input: child.stderr })[Symbol.asyncIterator]()
  const address = async () => new URL(/http:\S+/.exec((await told.next()).value!)![0])
  return { page: await address(), mcp: await address() }
}

it("leave descriptors for commands, and room for whoever comes after them", async () => {
  const { page, mcp } = await start()
  const headers = { Authorization: "Bearer open sesame" }
  const clients = await Promise.all(
    revisions.map(async (revision) => {
      const client = stockClient({ revision })
      onTestFinished(() => client.close())
      await client.connect(new StreamableHTTPClientTransport(mcp, { requestInit: { headers } }))
      return client
    }),
  )
  for (const { port } of [page, mcp]) {
    const sockets = flood(Number(port))
    await expect.poll(() => sockets.filter((socket) => socket.closed).length).toBeGreaterThan(200)
  }
  for (const client of clients) {
    const result = await client.callTool({ name: "shell", arguments: { command: "printf hi" } })
    expect(textOfResult(result)).toBe("hi")
  }
  expect((await fetch(page)).status).toBe(200)
})
