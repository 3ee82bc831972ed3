// @module-tag waits
/** What clients have asked of a Postgres store, and died. */
import { randomUUID } from "node:crypto"
import { expect, it } from "vitest"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf, untilTag } from "../durable-of.ts"
import { adminOf } from "./admin.ts"

const gated = () =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))

describeWith("postgres")("a request of a client that has died", () => {
  const server = usePostgres()

  it("is forgotten with its retention where its call is over, and carried out where it goes on", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const first = await durableOf(store, { gated: gated() })
    await first.enqueue([{ callId: "open", name: "gated" }])
    await untilTag(first, "AwaitingApproval")
    await first.close()
    const ask = (callId: string, agentId: string, at: number) => {
      const request = JSON.stringify({ _tag: "Approve", callId })
      return sql`INSERT INTO stepline_requests (key, agent_id, call_id, request, at)
        VALUES (${randomUUID()}, ${agentId}, ${callId}, ${request}, ${at})`
    }
    await ask("over", "nobody", 1)
    await ask("lately", "nobody", Date.now())
    await ask("open", "main", 1)
    const second = await durableOf(store, { gated: gated() })
    expect(await untilTag(second, "Completed")).toMatchObject({ callId: "open" })
    const asked = async () => {
      const rows = await sql<Array<{ call_id: string }>>`SELECT call_id FROM stepline_requests`
      return rows.map((row) => row.call_id)
    }
    await expect.poll(asked).not.toContain("over")
    expect(await asked()).toContain("lately")
  })
})

describeWith("postgres")("a request of a client that was closed", () => {
  const server = usePostgres()

  it("may be done all the same", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const first = await durableOf(store, { gated: gated() })
    await first.enqueue([{ callId: "a", name: "gated" }])
    await untilTag(first, "AwaitingApproval")
    await first.close()
    const client = await openDurableExecutor({ store, runner: false })
    const approved = expect(client.approve("a")).rejects.toThrow(
      "The store was closed before this was answered: it may take effect all the same. Open it again, and look",
    )
    await expect.poll(() => sql`SELECT FROM stepline_requests`).toHaveLength(1)
    await client.close()
    await approved
    const second = await durableOf(store, { gated: gated() })
    expect(await untilTag(second, "Completed")).toMatchObject({ callId: "a" })
  })
})
