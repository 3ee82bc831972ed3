// @module-tag waits
/** What a Postgres store refuses, and what it outlives. */
import { expect, it } from "vitest"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { connectSql } from "../../../src/durable/postgres/sql.ts"
import { pipeline, Step, ToolRegistry } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { deferred } from "../../support/deferred.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf, untilTag } from "../durable-of.ts"

const registry = new ToolRegistry([])

const gated = () =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))

describeWith("postgres")("a Postgres store", () => {
  const server = usePostgres()

  it("is refused where a newer stepline has written it, where it cannot be reached, and to clients where there is none", async () => {
    const store = await server.database()
    const name = store.replace("stepline@", "")
    await expect(openDurableExecutor({ store, runner: false })).rejects.toThrow(
      `There is no store at ${name} yet: start what runs its calls first.`,
    )
    await (await durableOf(store, {})).close()
    const sql = await connectSql(store, 1)
    await sql`UPDATE stepline_meta SET value = 7 WHERE key = 'version'`
    await sql.end()
    const sentence = `${name} was written by a newer stepline: its version is 7, and 2 is read. Update stepline, or use another database.`
    await expect(openDurableExecutor({ store, registry })).rejects.toThrow(sentence)
    await expect(openDurableExecutor({ store, runner: false })).rejects.toThrow(sentence)
    const nobody = "postgres://somebody:secret@127.0.0.1:1/x"
    await expect(openDurableExecutor({ store: nobody, registry })).rejects.toThrow(
      /^Cannot open the store postgres:\/\/127\.0\.0\.1:1\/x: /,
    )
  })

  it("of version 1 is brought up to date once no process of an older stepline runs its calls", async () => {
    const store = await server.database()
    const name = store.replace("stepline@", "")
    await (await durableOf(store, {})).close()
    const sql = await connectSql(store, 1)
    // What version 2 adds.
    await sql.run(`
      ALTER TABLE stepline_runners DROP COLUMN tools;
      DROP TABLE stepline_keys, stepline_uses;
      DROP INDEX stepline_calls_receipts;
      UPDATE stepline_meta SET value = 1 WHERE key = 'version'`)
    await sql`INSERT INTO stepline_runners (expires_at) VALUES (now() + interval '1 hour')`
    await expect(openDurableExecutor({ store, registry })).rejects.toThrow(
      `Processes of an older stepline run the calls of ${name}, and could not read what this one writes: stop them first.`,
    )
    await expect(openDurableExecutor({ store, runner: false })).rejects.toThrow(
      `${name} was written by an older stepline: its version is 1, and 2 is written. Update what runs its calls first.`,
    )
    await sql`DELETE FROM stepline_runners`
    const durable = await durableOf(store, { work: pipeline().andThen(() => Step.Output("done")) })
    expect(await durable.executor.run({ callId: "a", name: "work" })).toMatchObject({ content: "done" })
    await durable.close()
    expect(await sql`SELECT value FROM stepline_meta WHERE key = 'version'`).toEqual([{ value: 2 }])
    await sql.end()
  })

  it("is made once by processes that start together", async () => {
    const store = await server.database()
    const open = await Promise.all([1, 2, 3].map(() => durableOf(store, { gated: gated() })))
    expect(open).toHaveLength(3)
  })

  it("holds the calls while it is away, and its host is told", async () => {
    const store = await server.database()
    const told: Array<unknown> = []
    const away = deferred()
    const ran: Array<string> = []
    const tool = pipeline()
      .awaitApproval()
      .andThen(() => {
        ran.push("handler")
        return Step.Output("done")
      })
    const onStoreError = (error: unknown) => {
      told.push(error)
      if (error !== undefined) away.resolve()
    }
    const durable = await durableOf(store, { tool }, { onStoreError })
    await durable.enqueue([{ callId: "a", name: "tool" }])
    await untilTag(durable, "AwaitingApproval")
    await server.stop("immediate")
    const approved = durable.approve("a")
    await away.promise
    expect(ran).toEqual([])
    // What is asked meanwhile waits.
    const queued = durable.enqueue([{ callId: "q", name: "nobody", agentId: "q" }])
    const listed = durable.inbox()
    await server.start()
    expect(await approved).toBe(true)
    expect(await queued).toEqual(["q"])
    expect(await listed).toBeInstanceOf(Array)
    expect(await untilTag(durable, "Completed")).toMatchObject({ content: "done" })
    await expect.poll(() => durable.result("q")).toMatchObject({ _tag: "Error" })
    expect(ran).toEqual(["handler"])
    expect(told.at(0)).toBeInstanceOf(Error)
    await expect.poll(() => told.at(-1)).toBeUndefined()
    // Notices come again.
    await using client = await openDurableExecutor({ store, runner: false })
    await client.enqueue([{ callId: "b", name: "tool" }])
    for await (const event of durable.executor.events) if (event._tag === "AwaitingApproval") break
    expect(await client.approve("b")).toBe(true)
  })

  it("lists what may not begin without an answer before anybody runs it", async () => {
    const store = await server.database()
    await (await openDurableExecutor({ store, registry })).close()
    await using client = await openDurableExecutor({ store, runner: false })
    await client.enqueue([
      { callId: "a", name: "tool", decision: "requested" },
      { callId: "b", name: "tool" },
    ])
    expect(await client.inbox()).toMatchObject([{ callId: "a", kind: "start" }])
  })

  it("takes what no text of Postgres can hold", async () => {
    const store = await server.database()
    const odd = "a\0b\ud800"
    const durable = await durableOf(store, {
      tool: pipeline().andThen(({ call }) => Step.Output(`${odd}${call.name}`)),
    })
    await durable.enqueue([
      { callId: odd, agentId: odd, name: "tool", params: { [odd]: odd } },
      { callId: `${odd}2`, agentId: odd, name: odd, params: odd },
    ])
    expect(await untilTag(durable, "Completed")).toMatchObject({ callId: odd, content: `${odd}tool` })
    expect(await untilTag(durable, "Error")).toMatchObject({ callId: `${odd}2` })
    expect(await durable.result(odd)).toMatchObject({ callId: odd, content: `${odd}tool` })
  })
})
