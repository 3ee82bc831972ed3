// @module-tag waits
/** Who waits for agents that another runner has: it is a row here, which shows what the test lets it show. */
import { expect, it, onTestFinished } from "vitest"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { connectSql } from "../../../src/durable/postgres/sql.ts"
import { ToolRegistry } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { describeWith } from "../../support/needs.ts"

describeWith("postgres")("agents of another runner:", () => {
  const server = usePostgres()

  /** A process, and another one, of the number 1000, which has the agent `main`. */
  const opened = async () => {
    const store = await server.database()
    const durable = await openDurableExecutor({ store, registry: new ToolRegistry([]) })
    onTestFinished(() => durable.close())
    const sql = await connectSql(store, 1)
    onTestFinished(() => sql.end())
    await sql.run(`
      INSERT INTO stepline_runners (id, expires_at) VALUES (1000, now() + interval '1 hour');
      INSERT INTO stepline_agents (agent_id, runner) VALUES ('main', 1000)`)
    return { durable, sql }
  }

  const never = new AbortController().signal

  /** How often it is told that `main` is waited for, where that ends with this change of the store. */
  const toldUntil = async (change: string): Promise<number> => {
    const { durable, sql } = await opened()
    const changes: Array<Promise<unknown>> = []
    const onWait = () => void changes.push(sql.run(change))
    await durable.untilTaken(["main"], { signal: never, onWait })
    await Promise.all(changes)
    return changes.length
  }

  it("one that shows that it lives is waited for no longer", async () => {
    const alive = "UPDATE stepline_runners SET expires_at = now() + interval '2 hours' WHERE id = 1000"
    expect(await toldUntil(alive)).toBe(1)
  })

  it("what one had whose lease is over is taken", async () => {
    expect(await toldUntil("DELETE FROM stepline_runners WHERE id = 1000")).toBe(1)
  })

  it("nobody is told of agents that nobody has, and who is stopped waits no longer", async () => {
    const { durable } = await opened()
    await durable.untilTaken(["other"], { signal: never, onWait: () => expect.unreachable() })
    const stops = new AbortController()
    await durable.untilTaken(["main"], { signal: stops.signal, onWait: () => stops.abort() })
    expect(stops.signal.aborted).toBe(true)
  })
})
