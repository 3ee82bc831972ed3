// @module-tag waits
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expect, it, onTestFinished, vi } from "vitest"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { Membership } from "../../../src/durable/postgres/membership.ts"
import { Notices } from "../../../src/durable/postgres/notices.ts"
import type { Sql } from "../../../src/durable/postgres/sql.ts"
import { ownPort, usePostgres } from "../../servers/postgres.ts"
import { nobody } from "../../servers/postgres-folders.ts"
import { registryOf } from "../../support/executor-of.ts"
import { describeWith, needs } from "../../support/needs.ts"
import { adminOf } from "./admin.ts"

/** Starts a pooler by transaction in front of a server. Returns its port. */
const startPooler = async ({ port: behind }: URL): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), "stepline-pgbouncer-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const port = await ownPort()
  await writeFile(join(folder, "users"), '"stepline" ""\n')
  const settings = [
    `[databases]\n* = host=127.0.0.1 port=${behind}\n[pgbouncer]`,
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    `auth_type = trust\nauth_file = ${join(folder, "users")}\npool_mode = transaction`,
  ]
  await writeFile(join(folder, "ini"), `${settings.join("\n")}\n`)
  if (nobody.uid !== undefined) await chown(folder, nobody.uid, nobody.gid)
  const pooler = spawn("pgbouncer", [join(folder, "ini")], { ...nobody, stdio: ["ignore", "ignore", "pipe"] })
  onTestFinished(async () => {
    pooler.kill("SIGKILL")
    await once(pooler, "close")
  })
  // It says so once it listens.
  for await (const line of createInterface(pooler.stderr)) if (line.includes("process up")) return port
  throw new Error("pgbouncer has ended")
}

describeWith("postgres")("notices of a Postgres store", () => {
  const server = usePostgres()

  interface Connection {
    readonly pid: number
    /** When its last statement began. */
    readonly began: string
    readonly state: string
  }

  const listening = async (sql: Sql): Promise<Connection> => {
    const [row] = await sql<[Connection]>`SELECT pid, query_start::text AS began, state FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'stepline'`
    return row
  }

  it("are proved to come by the heartbeats of any runner, so that an idle process sends nothing else", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const store = await server.database()
    const sql = await adminOf(store)
    const beats = vi.spyOn(Membership.prototype, "showLife")
    onTestFinished(() => beats.mockRestore())
    const notices = new Notices(store)
    onTestFinished(() => notices.close())
    await notices.listen()
    const proofs = vi.spyOn(notices as unknown as { prove(): void }, "prove")
    const { pid, began } = await listening(sql)
    const durable = await openDurableExecutor({ store, registry: registryOf({}) })
    onTestFinished(() => durable.close())
    for (let second = 1; second <= 20; second += 1) {
      vi.advanceTimersByTime(1000)
      await Promise.all(beats.mock.results.map(({ value }) => value as Promise<unknown>))
      // What the heartbeat sent is heard before this.
      const mark = notices.mark()
      await sql`SELECT pg_notify('stepline', 'news')`
      await expect.poll(() => notices.mark()).toBeGreaterThan(mark)
    }
    expect(proofs).toHaveBeenCalledTimes(4)
    const [{ last }] = await sql<
      [{ last: string }]
    >`SELECT query_start::text AS last FROM pg_stat_activity WHERE pid = ${pid}`
    expect(last).toBe(began)
  })

  it("come on one connection, as long as what proves that they come is heard", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const store = await server.database()
    const sql = await adminOf(store)
    const heard: Array<string> = []
    const notices = new Notices(store, (notice) => heard.push(notice))
    onTestFinished(() => notices.close())
    await notices.listen()
    const first = await listening(sql)
    for (let proofs = 1; proofs <= 3; proofs += 1) {
      const { began } = await listening(sql)
      vi.advanceTimersToNextTimer()
      // The proof is told; what is told after it is heard after it.
      const isTold = async () => {
        const now = await listening(sql)
        return now.state === "idle" && now.began !== began
      }
      await expect.poll(isTold).toBe(true)
      await sql`SELECT pg_notify('stepline', 'work')`
      await expect.poll(() => heard).toHaveLength(proofs)
    }
    expect((await listening(sql)).pid).toBe(first.pid)
  })

  it("are missed at opening where a pooler does not keep sessions", async (test) => {
    needs(test, "pgbouncer")
    const url = new URL(await server.database())
    const port = await startPooler(url)
    const store = `postgres://stepline@127.0.0.1:${port}${url.pathname}`
    await expect(openDurableExecutor({ store, registry: registryOf({}) })).rejects.toThrow(
      `Notices of postgres://127.0.0.1:${port}${url.pathname} do not arrive: a pooler in front of it does not keep sessions. Set that to keep them (pgbouncer: pool_mode = session), or use the address of the server itself`,
    )
  })
})
