// @module-tag waits
import { type AddressInfo, connect, createServer } from "node:net"
import { expect, it, onTestFinished, vi } from "vitest"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { openConnection } from "../../../src/durable/postgres/connection.ts"
import { Notices } from "../../../src/durable/postgres/notices.ts"
import type { Sql } from "../../../src/durable/postgres/sql.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { describeWith } from "../../support/needs.ts"
import { adminOf } from "./admin.ts"

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

  it("are missed at opening where a pooler does not keep sessions", async () => {
    const url = new URL(await server.database())
    // As such a pooler does, it passes on all but notices.
    const pooler = createServer((socket) => {
      const upstream = connect(Number(url.port), url.hostname)
      socket.pipe(upstream)
      let left = Buffer.alloc(0)
      upstream.on("data", (bytes: Buffer) => {
        left = Buffer.concat([left, bytes])
        while (left.length >= 5 && left.length > left.readUInt32BE(1)) {
          const end = left.readUInt32BE(1) + 1
          if (left[0] !== "A".charCodeAt(0)) socket.write(left.subarray(0, end))
          left = left.subarray(end)
        }
      })
      for (const end of [socket, upstream]) end.on("error", () => {})
      upstream.on("close", () => socket.destroy())
      socket.on("close", () => upstream.destroy())
    })
    await new Promise<void>((resolve) => pooler.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void pooler.close())
    const { port } = pooler.address() as AddressInfo
    const store = `postgres://stepline@127.0.0.1:${port}${url.pathname}`
    await openConnection(url.href, true).then((sql) => sql.end())
    await expect(openDurableExecutor({ store, runner: false })).rejects.toThrow(
      `Notices of postgres://127.0.0.1:${port}${url.pathname} do not arrive: a pooler in front of it does not keep sessions. Set that to keep them (pgbouncer: pool_mode = session), or use the address of the server itself`,
    )
  })
})
