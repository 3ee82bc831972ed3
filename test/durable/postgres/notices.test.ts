// @module-tag waits
import { expect, it, onTestFinished, vi } from "vitest"
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
})
