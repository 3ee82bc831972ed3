// @module-tag waits
/** Which of several processes runs a call: one that has its tool. */
import { expect, it, onTestFinished, vi } from "vitest"
import { inboxCommand } from "../../../src/cli/inbox-command.ts"
import { openDurableExecutor } from "../../../src/durable/index.ts"
import { Membership } from "../../../src/durable/postgres/membership.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf } from "../durable-of.ts"
import { adminOf, outliveLeases } from "./admin.ts"

const says = (text: string) => pipeline().andThen(() => Step.Output(text))

const gated = (text: string) =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output(text))

describeWith("postgres")("processes of a store with different tools", () => {
  const server = usePostgres()

  it("run the calls whose tools they have, whoever queues them, and each lane in its order", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const ran: Array<string> = []
    const noting = (by: string) =>
      pipeline().andThen(({ call }) => {
        ran.push(call.callId)
        return Step.Output(by)
      })
    const before = await durableOf(store, { both: noting("before"), old: noting("before") })
    const after = await durableOf(store, { both: noting("after"), new: noting("after") })
    await outliveLeases(sql)
    await using client = await openDurableExecutor({ store, runner: false })
    const names = ["old", "new", "both", "new", "old"]
    const callsOf = (agentId: string) =>
      names.map((name, at) => ({ callId: `${agentId}${at}`, agentId, name }))
    await client.enqueue(["a", "b", "c"].flatMap(callsOf))
    await before.enqueue(callsOf("d"))
    await after.enqueue(callsOf("e"))
    for (const agentId of ["a", "b", "c", "d", "e"]) {
      for (const [at, name] of names.entries()) {
        const by = name === "both" ? /before|after/ : name === "old" ? /before/ : /after/
        await expect
          .poll(() => client.result(`${agentId}${at}`), { timeout: 20_000 })
          .toMatchObject({ _tag: "Completed", content: expect.stringMatching(by) })
      }
      expect(ran.filter((callId) => callId.startsWith(agentId))).toEqual(
        callsOf(agentId).map((call) => call.callId),
      )
    }
  })

  it("leave what nobody has the tool of to the first, which says so", async () => {
    const store = await server.database()
    const durable = await durableOf(store, { one: says("1") })
    await durableOf(store, { two: says("2") })
    await durable.enqueue([{ callId: "a", name: "neither" }])
    await expect.poll(() => durable.result("a")).toMatchObject({ _tag: "Error", reason: "unknown-tool" })
  })

  it("keep what a client queues for a process that has the tool, and its lane, until one comes", async () => {
    const store = await server.database()
    const before = await durableOf(store, { old: says("old"), gated: gated("old") })
    await using client = await openDurableExecutor({ store, runner: false })
    // Agents that nobody has, the second with a call of an old tool first, and one whose call goes on in the process without the tool.
    const lanes = { free: ["new", "old"], mixed: ["old", "new", "old"], busy: ["gated", "new", "old"] }
    for (const [agentId, names] of Object.entries(lanes)) {
      await client.enqueue(names.map((name, at) => ({ callId: `${agentId}${at}`, agentId, name })))
    }
    await expect.poll(() => client.inbox()).toHaveLength(1)
    expect(await client.approve("busy0")).toBe(true)
    for (const first of ["mixed0", "busy0"]) {
      await expect.poll(() => client.result(first)).toMatchObject({ content: "old" })
    }
    const looked = vi.spyOn(Membership.prototype, "look")
    const handedOn = vi.spyOn(Membership.prototype, "handOn")
    onTestFinished(() => void vi.restoreAllMocks())
    await expect.poll(() => looked.mock.calls.length, { timeout: 20_000 }).toBeGreaterThan(3)
    // Each of those that it had once, and not again and again.
    const given = await Promise.all(handedOn.mock.results.map(({ value }) => value as Promise<boolean>))
    expect(given.filter(Boolean).length).toBeLessThan(3)
    const kept = ["free0", "mixed1", "busy1"]
    for (const callId of kept) expect(await client.result(callId)).toBeUndefined()
    expect(await client.awaitingTool()).toMatchObject(kept.map((callId) => ({ callId, name: "new" })))
    expect(await client.awaitingTool({ agentId: "busy" })).toEqual([
      {
        seq: expect.any(Number),
        agentId: "busy",
        callId: "busy1",
        name: "new",
        params: {},
        createdAt: expect.any(Number),
      },
    ])
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true)
    await inboxCommand({ store })
    expect(written.mock.calls.join("")).toBe(
      `Nothing waits for an answer.\n${kept.map((callId) => `${callId} of ${callId.slice(0, -1)} waits for a process with the tool new.\n`).join("")}`,
    )
    written.mockRestore()
    await durableOf(store, { new: says("new") })
    for (const [agentId, names] of Object.entries(lanes)) {
      await expect
        .poll(() => client.result(`${agentId}${names.length - 1}`), { timeout: 20_000 })
        .toMatchObject({ content: "old" })
      expect(await client.result(`${agentId}${names.length - 2}`)).toMatchObject({ content: "new" })
    }
    expect(await client.awaitingTool()).toEqual([])
    await before.close()
  })

  it("do not keep it longer than `unknownToolTimeout`, also where one of them has its agent", async () => {
    const store = await server.database()
    const durable = await durableOf(store, { gated: gated("x") }, { unknownToolTimeout: 1 })
    await using client = await openDurableExecutor({ store, runner: false })
    await client.enqueue([{ callId: "a", name: "misspelt" }])
    await expect
      .poll(() => client.result("a"), { timeout: 20_000 })
      .toMatchObject({ _tag: "Error", reason: "unknown-tool" })
    await durable.enqueue([{ callId: "open", name: "gated", background: true }])
    await client.enqueue([{ callId: "b", name: "misspelt" }])
    await expect
      .poll(() => client.result("b"), { timeout: 20_000 })
      .toMatchObject({ _tag: "Error", reason: "unknown-tool" })
  })

  it("keep a question for a process that has the tool, though its own was killed", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    const dies = await durableOf(store, { rare: gated("x") })
    await dies.enqueue([{ callId: "a", name: "rare" }])
    await expect.poll(() => dies.inbox()).toHaveLength(1)
    const other = await durableOf(store, { two: says("2") })
    // As a killed process leaves its row.
    await sql`DELETE FROM stepline_runners WHERE id = (SELECT runner FROM stepline_agents)`
    await dies.close()
    await other.enqueue([{ callId: "b", name: "two", agentId: "b" }])
    await expect.poll(() => other.result("b")).toMatchObject({ content: "2" })
    const waits = 'No process that runs has the tool "rare": the call waits for one'
    const asked = "There is no rule for the tool `rare`."
    expect(await other.inbox()).toMatchObject([{ callId: "a", because: `${asked}\n${waits}` }])
    const comes = await durableOf(store, { rare: gated("y") })
    expect(await comes.inbox()).toMatchObject([{ callId: "a", because: asked }])
    expect(await comes.approve("a")).toBe(true)
    await expect.poll(() => other.result("a")).toMatchObject({ content: "y" })
  })

  it("do not wait for one longer than `unknownToolTimeout`", async () => {
    const store = await server.database()
    const dies = await durableOf(store, { rare: gated("x") })
    await dies.enqueue([{ callId: "a", name: "rare" }])
    await expect.poll(() => dies.inbox()).toHaveLength(1)
    const other = await durableOf(store, { two: says("2") }, { unknownToolTimeout: 1 })
    await dies.close()
    await expect
      .poll(() => other.result("a"), { timeout: 20_000 })
      .toMatchObject({
        _tag: "Error",
        content: expect.stringContaining('there is no tool "rare" any more'),
      })
  })

  it("look for nothing when another one gets work", async () => {
    const store = await server.database()
    const owner = await durableOf(store, { gated: gated("x") })
    const other = await durableOf(store, { gated: gated("x") })
    await owner.enqueue([{ callId: "a", name: "gated" }])
    await using client = await openDurableExecutor({ store, runner: false })
    await expect.poll(() => client.inbox()).toHaveLength(1)
    const looks = new Set<unknown>()
    const { look } = Membership.prototype
    const spied = vi.spyOn(Membership.prototype, "look").mockImplementation(function (this: Membership) {
      looks.add(this)
      return look.call(this)
    })
    onTestFinished(() => spied.mockRestore())
    expect(await client.approve("a")).toBe(true)
    await client.enqueue([{ callId: "b", name: "gated" }])
    await expect.poll(() => client.inbox()).toHaveLength(1)
    expect(looks.size).toBe(1)
    await other.close()
  })

  it("share the agents that clients bring", async () => {
    const store = await server.database()
    const sql = await adminOf(store)
    for (let at = 0; at < 4; at++) await durableOf(store, { gated: gated("x") })
    await outliveLeases(sql)
    await using client = await openDurableExecutor({ store, runner: false })
    await client.enqueue(Array.from({ length: 100 }, (_, at) => ({ name: "gated", agentId: `a${at}` })))
    await expect.poll(() => client.inbox({ limit: 200 }), { timeout: 20_000 }).toHaveLength(100)
    const counts = await sql<Array<{ count: number }>>`
      SELECT count(a.agent_id) FROM stepline_runners r LEFT JOIN stepline_agents a ON runner = r.id GROUP BY r.id`
    expect(counts.map(({ count }) => count)).toEqual([25, 25, 25, 25])
  })
})
