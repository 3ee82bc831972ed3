/** A Postgres server on loopback, for the tests of a process: those of several files, where these share one. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { chown, mkdir } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { beforeAll, inject } from "vitest"
import { connectSql } from "../../src/durable/postgres/sql.ts"
import { isLeftOut } from "../support/needs.ts"
import { nobody, postgresFolder, postgresPrograms } from "./postgres-folders.ts"

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  const outcome = new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true))
  })
  if (!(await outcome)) return false
  server.close()
  await once(server, "close")
  return true
}

/** The first port that the system gives to connections and to whoever listens on none of its own. */
const firstGiven = (): number => {
  try {
    return Number.parseInt(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8"), 10)
  } catch {
    return 32_768
  }
}

const firstPort = 10_000

/**
 * A port that stays this server's while it is down: the system gives it to nobody, and another process that looks for one
 * begins elsewhere.
 */
export const ownPort = async (): Promise<number> => {
  const count = Math.max(firstGiven() - firstPort, 1000)
  for (let step = 0; step < count; step += 1) {
    const port = firstPort + ((process.pid * 31 + step) % count)
    if (await isFree(port)) return port
  }
  throw new Error(`No port from ${firstPort} on is free`)
}

/** Seconds that a start or an end may take: as long as a test. */
const patience = "120"

/** A server that runs. */
export interface PostgresServer {
  /** Makes an empty database; gives its address. */
  database(): Promise<string>
  /** Ends it, as a crash of its machine would, or well. */
  stop(how?: "immediate" | "fast"): Promise<void>
  start(): Promise<void>
  readonly port: number
}

let shared: ReturnType<typeof makeServer> | undefined

/** The server, which is made for the first tests that use it, and ends with the whole run. */
export const usePostgres = (): PostgresServer => {
  shared ??= makeServer()
  const { server, beUp } = shared
  beforeAll(async () => {
    if (!isLeftOut("postgres")) await beUp()
  })
  return server
}

const makeServer = () => {
  const folder = postgresFolder(inject("runFolder"))
  let port = 0
  let count = 0
  let isUp = false
  const run = (program: string, args: ReadonlyArray<string>) =>
    promisify(execFile)(join(postgresPrograms!, program), args, { cwd: folder, ...nobody })
  const data = () => join(folder, "data")
  const control = (...args: Array<string>) => run("pg_ctl", ["-D", data(), "-w", "-t", patience, ...args])
  const server: PostgresServer = {
    get port() {
      return port
    },
    async database() {
      count += 1
      const sql = await connectSql(`postgres://stepline@127.0.0.1:${port}/postgres`, 1)
      await sql.run(`CREATE DATABASE test_${count}`)
      await sql.end()
      return `postgres://stepline@127.0.0.1:${port}/test_${count}`
    },
    async stop(how = "fast") {
      await control("stop", "-m", how)
      isUp = false
    },
    async start() {
      // Its standard streams are not this process's: who waits for their end would wait for the server's.
      // Its crashes are those of processes: what it has handed to the system is kept, and need not be on the disk.
      const options = `-h 127.0.0.1 -p ${port} -c unix_socket_directories= -c max_connections=200 -c fsync=off`
      const args = ["-D", data(), "-w", "-t", patience, "-l", join(folder, "log"), "-o", options, "start"]
      const child = spawn(join(postgresPrograms!, "pg_ctl"), args, {
        cwd: folder,
        stdio: "ignore",
        ...nobody,
      })
      const [status] = await once(child, "exit")
      if (status !== 0) throw new Error(`Postgres did not start: pg_ctl ended with ${status}`)
      isUp = true
    },
  }
  const make = async () => {
    await mkdir(folder, { mode: 0o700 })
    if (nobody.uid !== undefined) await chown(folder, nobody.uid, nobody.gid)
    await run("initdb", ["-D", data(), "-U", "stepline", "-A", "trust", "-E", "UTF8", "--no-sync"])
    port = await ownPort()
  }
  // A test that failed may have left it stopped.
  const beUp = async () => {
    if (port === 0) await make()
    if (!isUp) await server.start()
  }
  return { server, beUp }
}
