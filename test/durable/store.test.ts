import { getEventListeners } from "node:events"
import { existsSync, statSync } from "node:fs"
import Libsql from "libsql"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step, ToolRegistry } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { turn } from "../support/deferred.ts"
import { durableOf, untilTag } from "./durable-of.ts"

const path = useTempFolder()
const registry = new ToolRegistry([])
let store = ""
beforeEach(() => {
  store = path("calls.db")
})

describe("a store is refused", () => {
  it("that another host runs, until that is closed", async () => {
    const first = await durableOf(store, {})
    await expect(openDurableExecutor({ store, registry })).rejects.toThrow(
      `${store} is in use: another process runs its calls. End that one, or answer its questions with \`stepline inbox\`.`,
    )
    await first.close()
    await durableOf(store, {})
  })

  it("that a newer stepline has written, by hosts and clients alike", async () => {
    await (await durableOf(store, {})).close()
    const database = new Libsql(store)
    database.exec("PRAGMA user_version = 7")
    database.close()
    const sentence = `${store} was written by a newer stepline: its version is 7, and 2 is read. Update stepline, or use another file.`
    await expect(openDurableExecutor({ store, registry })).rejects.toThrow(sentence)
    await expect(openDurableExecutor({ store, runner: false })).rejects.toThrow(sentence)
  })

  it("that is the database of something else", async () => {
    const database = new Libsql(store)
    database.exec("CREATE TABLE notes (id INTEGER)")
    database.close()
    const sentence = `${store} is the database of something else: use another file.`
    await expect(openDurableExecutor({ store, registry })).rejects.toThrow(sentence)
    await expect(openDurableExecutor({ store, runner: false })).rejects.toThrow(sentence)
    const untouched = new Libsql(store)
    expect(untouched.prepare("PRAGMA journal_mode").all()).toEqual([{ journal_mode: "delete" }])
    untouched.close()
  })

  it("that is no file, or is not there for a client", async () => {
    const opening = (name: string) => openDurableExecutor({ store: name, registry })
    await expect(opening(":memory:")).rejects.toThrow("A store is a file, and `:memory:` is none")
    // @ts-expect-error -- not without its tools
    await expect(openDurableExecutor({ store })).rejects.toThrow("Expected `registry` to be a ToolRegistry")
    await expect(opening("")).rejects.toThrow("Expected `store` to name a database file")
    await expect(opening(path("none/calls.db"))).rejects.toThrow(
      `Cannot open the store ${path("none/calls.db")}`,
    )
    await expect(openDurableExecutor({ store, runner: false })).rejects.toThrow(
      `There is no store at ${store} yet: start what runs its calls first.`,
    )
    expect(existsSync(store)).toBe(false)
  })
})

it.skipIf(process.platform === "win32")("a new store is its user's alone", async () => {
  await durableOf(store, {})
  const modes = ["", "-wal", "-shm", "-owner"].map((end) => [end, statSync(`${store}${end}`).mode & 0o777])
  expect(modes).toEqual([
    ["", 0o600],
    ["-wal", 0o600],
    ["-shm", 0o600],
    ["-owner", 0o600],
  ])
})

describe("what cannot be read in a store", () => {
  const gated = pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))

  it("ends a call as an Error, and the others go on", async () => {
    const first = await durableOf(store, { tool: gated })
    await first.enqueue([
      { callId: "broken", name: "tool", agentId: "a" },
      { callId: "other", name: "tool", agentId: "b" },
      { callId: "whole", name: "tool", agentId: "c" },
    ])
    for (let asked = 0; asked < 3; asked += 1) await untilTag(first, "AwaitingApproval")
    await first.close()
    const database = new Libsql(store)
    database.exec("UPDATE calls SET snapshot = '{' WHERE call_id = 'broken'")
    database.exec("UPDATE calls SET snapshot = '{}' WHERE call_id = 'other'")
    database.close()
    const second = await durableOf(store, { tool: gated })
    const ends = [await untilTag(second, "Error"), await untilTag(second, "Error")]
    expect(ends).toMatchObject([
      { callId: "broken", agentId: "a" },
      { callId: "other", agentId: "b" },
    ])
    for (const { content } of ends) {
      expect(content).toContain("What the store holds of this call cannot be read, so it cannot go on")
    }
    expect(await second.result("broken")).toMatchObject({ _tag: "Error" })
    expect((await second.inbox()).map(({ callId }) => callId)).toEqual(["whole"])
    expect(await second.approve("whole")).toBe(true)
    expect(await untilTag(second, "Completed")).toMatchObject({ callId: "whole", content: "done" })
  })

  it("is told with its row where it is an event, or a result", async () => {
    const durable = await durableOf(store, { tool: pipeline().andThen(() => Step.Output("done")) })
    await durable.enqueue([{ callId: "a", name: "tool" }])
    await untilTag(durable, "Completed")
    await durable.close()
    const database = new Libsql(store)
    const { seq } = database.prepare("SELECT max(seq) AS seq FROM events").get() as { seq: number }
    database.exec("UPDATE events SET event = '{' WHERE seq = (SELECT max(seq) FROM events)")
    database.exec("UPDATE calls SET result = '{'")
    database.close()
    await using client = await openDurableExecutor({ store, runner: false })
    const read = async () => {
      for await (const event of client.events()) expect(event._tag).toBe("Started")
    }
    await expect(read()).rejects.toMatchObject({
      name: "StoreError",
      message: `Row ${seq} of the table events is no JSON, and cannot be read. The store was changed by something else: restore it from a backup.`,
    })
    await expect(client.result("a")).rejects.toThrow(
      'The result of the call "a" is no JSON, and cannot be read.',
    )
  })

  it("is left out of the inbox, which goes on behind it", async () => {
    const host = await durableOf(store, { tool: gated })
    await host.enqueue(["a", "b", "c"].map((callId) => ({ callId, agentId: callId, name: "tool" })))
    for (let asked = 0; asked < 3; asked += 1) await untilTag(host, "AwaitingApproval")
    const database = new Libsql(store)
    database.exec("UPDATE calls SET snapshot = '{' WHERE call_id = 'a'")
    database.exec("UPDATE calls SET snapshot = '{}' WHERE call_id = 'b'")
    database.close()
    const client = await openDurableExecutor({ store, runner: false })
    expect((await client.inbox()).map(({ callId }) => callId)).toEqual(["c"])
    expect((await host.inbox()).map(({ callId }) => callId)).toEqual(["c"])
    // It takes no place on a page: one that is not full is the last.
    expect((await client.inbox({ limit: 1 })).map(({ callId }) => callId)).toEqual(["c"])
    await client.close()
  })

  it("is no task any more where it was one, and the others are kept", async () => {
    const tool = pipeline().andThen(() => Step.Output("done"))
    const first = await durableOf(store, { tool })
    for (const callId of ["a", "b", "c"]) {
      await first.enqueue([{ callId, name: "tool", background: true }])
      await untilTag(first, "BackgroundCompleted")
    }
    await first.close()
    const database = new Libsql(store)
    database.exec("UPDATE tasks SET task = '{' WHERE task_id = 'a'")
    database.exec("UPDATE tasks SET task = 'null' WHERE task_id = 'b'")
    database.close()
    const second = await durableOf(store, { tool })
    expect((await second.tasks.list()).map(({ id }) => id)).toEqual(["c"])
    const client = await openDurableExecutor({ store, runner: false })
    expect((await client.tasks.list()).map(({ id }) => id)).toEqual(["c"])
    expect(await client.tasks.get("a")).toBeUndefined()
    expect(await client.tasks.wait("b")).toBeUndefined()
    await client.close()
    expect(await second.tasks.take("c")).toMatchObject({ status: "complete", content: "done" })
  })

  it("is answered with an error where it is a request, and the next one is carried out", async () => {
    await durableOf(store, { tool: gated })
    const database = new Libsql(store)
    database.exec("INSERT INTO requests (request, at) VALUES ('{', 1), ('null', 1)")
    database.close()
    const client = await openDurableExecutor({ store, runner: false })
    expect(await client.enqueue([{ callId: "c", name: "tool" }])).toEqual(["c"])
    await client.close()
    const reading = new Libsql(store)
    const rows = reading.prepare("SELECT answer FROM requests WHERE at = 1 ORDER BY id").all() as Array<{
      readonly answer: string
    }>
    reading.close()
    for (const { answer } of rows) {
      expect(JSON.parse(answer)).toEqual({ error: expect.stringContaining("This request cannot be read") })
    }
    expect(rows).toHaveLength(2)
  })
})

describe("a client of a store that another host runs", () => {
  const gated = pipeline()
    .andThen(() => Step.Output("preview"))
    .awaitApproval({ label: "Go on?" })
    .andThen(({ resolution }) => Step.Output(`done ${resolution?.reason}`))

  it("sees what waits, and its answer counts once", async () => {
    const host = await durableOf(store, { tool: gated }, { approvalTimeout: "1 hour" })
    const client = await openDurableExecutor({ store, runner: false })
    expect(await client.enqueue([{ callId: "c", name: "tool", params: { a: 1 } }])).toEqual(["c"])
    for await (const event of client.events()) if (event._tag === "AwaitingApproval") break
    const [item] = await client.inbox()
    expect(item).toMatchObject({
      agentId: "main",
      callId: "c",
      name: "tool",
      params: { a: 1 },
      kind: "approval",
      label: "Go on?",
      because: "There is no rule for the tool `tool`.",
      preview: { content: [{ type: "text", text: "preview" }] },
    })
    expect(item!.deadline! - item!.askedAt!).toBe(3_600_000)
    expect(await client.inbox({ agentId: "other" })).toEqual([])
    expect(await client.inbox({ after: item!.seq })).toEqual([])
    const answers = await Promise.all([
      client.approve("c", { reason: "first" }),
      client.approve("c", { reason: "second" }),
      client.deny("c"),
    ])
    expect(answers).toEqual([true, false, false])
    for await (const event of client.events()) if (event._tag === "Completed") break
    expect(await client.result("c")).toMatchObject({ _tag: "Completed", content: "done first" })
    expect(await client.inbox()).toEqual([])
    expect(await client.cancel("c")).toBe(false)
    expect(await client.respond("c", { output: "x" })).toBe(false)
    await expect(client.enqueue([{ name: 1 } as never])).rejects.toThrow("Expected `name` of a call")
    await client.close()
    expect(await host.inbox()).toEqual([])
  })

  it("has its answer taken though somebody held the store for longer than it is waited for", async () => {
    const host = await durableOf(store, { tool: gated })
    await host.enqueue([{ callId: "c", name: "tool" }])
    await untilTag(host, "AwaitingApproval")
    const client = await openDurableExecutor({ store, runner: false })
    const writer = new Libsql(store)
    writer.exec("BEGIN IMMEDIATE")
    const approved = client.approve("c")
    writer.exec("ROLLBACK")
    writer.close()
    expect(await approved).toBe(true)
    await client.close()
  })

  it("does not hold up its host while somebody else writes to it, and tells a client in words", async () => {
    const onStoreError = vi.fn()
    const host = await durableOf(store, { tool: gated }, { onStoreError })
    await host.enqueue([{ callId: "c", name: "tool" }])
    await untilTag(host, "AwaitingApproval")
    const client = await openDurableExecutor({ store, runner: false })
    const writer = new Libsql(store)
    writer.exec("BEGIN IMMEDIATE")
    const enqueued = host.enqueue([{ callId: "d", name: "tool" }])
    // The commit is tried meanwhile, in this process, which could not let the writer go if it were blocked.
    for (let turns = 0; turns < 5; turns += 1) await turn()
    writer.exec("ROLLBACK")
    await enqueued
    expect(onStoreError).not.toHaveBeenCalled()
    writer.exec("BEGIN IMMEDIATE")
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const refused = expect(client.approve("c")).rejects.toThrow(
      `${store} is locked: another process has been writing to it for 5 seconds. Wait for its end, and ask again`,
    )
    await vi.advanceTimersByTimeAsync(6000)
    vi.useRealTimers()
    await refused
    writer.close()
    expect(await client.approve("c")).toBe(true)
    await client.close()
  })

  it("leaves nothing with the signal of who waits for long", async () => {
    await durableOf(store, { tool: gated })
    const client = await openDurableExecutor({ store, runner: false })
    const { signal } = new AbortController()
    const listeners = { added: vi.spyOn(signal, "addEventListener"), any: vi.spyOn(AbortSignal, "any") }
    const read = client.events({ signal })
    const reading = read.next()
    await client.enqueue([{ callId: "t", name: "tool", background: true, decision: "approve" }])
    expect(await client.tasks.wait("t", { signal })).toMatchObject({ status: "complete" })
    await reading
    await read.return(undefined)
    expect(listeners.added).toHaveBeenCalled()
    expect(getEventListeners(signal, "abort")).toEqual([])
    // What it makes stays with its sources as long as they are there.
    expect(listeners.any).not.toHaveBeenCalled()
    listeners.any.mockRestore()
    await client.close()
  })
})
