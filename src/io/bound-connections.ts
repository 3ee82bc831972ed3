/**
 * Bounds the connections of an HTTP server. Each has a descriptor, and commands need descriptors too: who is not let in, such as
 * whoever connects and says nothing, must not take them all. It keeps nobody out either: a new connection takes the place of the
 * oldest that is not in use.
 */
import { readFileSync } from "node:fs"
import type { Server, ServerOptions } from "node:http"
import type { Duplex } from "node:stream"

/** Connections of one server, where the process may have many descriptors. */
const most = 1_000

/** Where the system does not tell. */
const fewDescriptors = 1_024

const descriptors = (): number => {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8")
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? fewDescriptors)
  } catch {
    return fewDescriptors
  }
}

/** How long a server waits for what makes a request. An answer may take as long as it likes. */
export const requestTimes: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
}

/** Keeps a connection until what it is given closes: the response to whoever was let in, or the connection itself. */
export type UseConnection = (connection: Duplex, until: NodeJS.EventEmitter) => void

/** @param max Default: a quarter of the descriptors that the process may have, 1,000 at most. */
export const boundConnections = (
  server: Server,
  max = Math.min(most, Math.floor(descriptors() / 4)),
): UseConnection => {
  /** The oldest first. */
  const idle = new Set<Duplex>()
  const inUse = new Map<Duplex, number>()
  server.on("connection", (connection) => {
    if (idle.size + inUse.size >= max) {
      const [oldest] = idle
      if (oldest === undefined) return void connection.destroy()
      idle.delete(oldest)
      oldest.destroy()
    }
    idle.add(connection)
    connection.once("close", () => {
      idle.delete(connection)
      inUse.delete(connection)
    })
  })
  return (connection, until) => {
    idle.delete(connection)
    inUse.set(connection, (inUse.get(connection) ?? 0) + 1)
    until.once("close", () => {
      const uses = inUse.get(connection)
      if (uses === undefined) return
      if (uses > 1) return void inUse.set(connection, uses - 1)
      inUse.delete(connection)
      idle.add(connection)
    })
  }
}
