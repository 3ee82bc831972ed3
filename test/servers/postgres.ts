/** A Postgres server on loopback, for the tests of a file. Left out, with the reason, where there is none, unless that is the CI's. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { chmod, chown, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe } from "vitest"
import { connectSql } from "../../src/durable/postgres/sql.ts"

const versions = "/usr/lib/postgresql"

const findBinaries = (): string | undefined => {
  try {
    const [newest] = readdirSync(versions).sort((one, other) => Number(other) - Number(one))
    return newest === undefined ? undefined : join(versions, newest, "bin")
  } catch {
    return undefined
  }
}

const binaries = findBinaries()
const isLeftOut = binaries === undefined && process.env.CI === undefined
if (isLeftOut) console.warn(`Tests with Postgres are skipped. There is none in ${versions}.`)

export const describeWithPostgres = (name: string, tests: () => void): void => {
  describe.skipIf(isLeftOut)(name, tests)
}

/** Postgres refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, "close")
  return port
}

/** A server that runs. */
export interface PostgresServer {
  /** Makes and starts it. */
  make(): Promise<void>
  /** Makes an empty database; gives its address. */
  database(): Promise<string>
  /** Ends it, as a crash of its machine would, or well. */
  stop(how?: "immediate" | "fast"): Promise<void>
  start(): Promise<void>
  readonly port: number
}

/** The one of this file. */
let shared: { readonly server: PostgresServer; readonly end: () => Promise<void> } | undefined
let started: Promise<void> | undefined

// Of the whole file, and not of the tests that happen to be its first.
afterAll(() => shared?.end())

/** A server in a folder of its own, which starts with the first tests of a file that use it, and ends with the file. */
export const usePostgres = (): PostgresServer => {
  shared ??= makeServer()
  const { server } = shared
  beforeAll(() => {
    started ??= isLeftOut ? Promise.resolve() : server.make()
    return started
  })
  return server
}

const makeServer = () => {
  let folder = ""
  let port = 0
  let count = 0
  const run = (program: string, args: ReadonlyArray<string>) =>
    promisify(execFile)(join(binaries!, program), args, { cwd: folder, ...nobody })
  const data = () => join(folder, "data")
  const control = (...args: Array<string>) => run("pg_ctl", ["-D", data(), "-w", ...args])
  const server: PostgresServer = {
    get port() {
      return port
    },
    async make() {
      folder = await mkdtemp(join(tmpdir(), "stepline-postgres-"))
      await chmod(folder, 0o700)
      if (nobody.uid !== undefined) await chown(folder, nobody.uid, nobody.gid)
      await run("initdb", ["-D", data(), "-U", "stepline", "-A", "trust", "-E", "UTF8", "--no-sync"])
      port = await freePort()
      await server.start()
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
    },
    async start() {
      // Its standard streams are not this process's: who waits for their end would wait for the server's.
      // Its crashes are those of processes: what it has handed to the system is kept, and need not be on the disk.
      const options = `-h 127.0.0.1 -p ${port} -k ${folder} -c max_connections=200 -c fsync=off`
      const args = ["-D", data(), "-w", "-l", join(folder, "log"), "-o", options, "start"]
      const child = spawn(join(binaries!, "pg_ctl"), args, { cwd: folder, stdio: "ignore", ...nobody })
      const [status] = await once(child, "exit")
      if (status !== 0) throw new Error(`Postgres did not start: pg_ctl ended with ${status}`)
    },
  }
  const end = async () => {
    if (folder === "") return
    await server.stop("immediate").catch(() => undefined)
    await rm(folder, { recursive: true, force: true })
  }
  return { server, end }
}
