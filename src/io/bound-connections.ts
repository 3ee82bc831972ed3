/**
 * Bounds the connections of an HTTP server. Each takes a descriptor, and commands need descriptors too, so clients that
 * connect and send nothing must not take them all. Nor do they lock others out: a new connection replaces the oldest that is
 * not in use.
 */
import { readFileSync } from "node:fs"
import type { Server, ServerOptions } from "node:http"
import type { Duplex } from "node:stream"

/** Connections of one server, if the process may have many descriptors. */
const most = 1_000

/** Assumed if the system does not report the limit. */
const fewDescriptors = 1_024

const descriptors = (): number => {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8")
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? fewDescriptors)
  } catch {
    return fewDescriptors
  }
}

/** How long a server waits for a request. A response has no time limit. */
export const requestTimes: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
}

/** Keeps a connection until the given emitter closes: the response to an admitted client, or the connection itself. */
export type UseConnection = (connection: Duplex, until: NodeJS.EventEmitter) => void

/** @param max Default: a quarter of the descriptors that the process may have, 1,000 at most. */
export const boundConnections = (
  server: Server,
  max = Math.min(most, Math.floor(descriptors() / 4)),
): UseConnection => {
  /** Oldest first. */
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
