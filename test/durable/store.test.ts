import Libsql from "libsql"
import { beforeEach, describe, expect, it } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step, ToolRegistry } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { durableOf } from "./durable-of.ts"

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
    const sentence = `${store} was written by a newer stepline: its version is 7, and 1 is read. Update stepline, or use another file.`
    await expect(openDurableExecutor({ store, registry })).rejects.toThrow(sentence)
    await expect(openDurableExecutor({ store, runner: false })).rejects.toThrow(sentence)
  })

  it("that is the database of something else", async () => {
    const database = new Libsql(store)
    database.exec("CREATE TABLE notes (id INTEGER)")
    database.close()
    await expect(openDurableExecutor({ store, registry })).rejects.toThrow(
      `${store} is the database of something else: use another file.`,
    )
  })

  it("that is no file, or is not there for a client", async () => {
    const opening = (name: string) => openDurableExecutor({ store: name, registry })
    await expect(opening(":memory:")).rejects.toThrow("A store is a file, and `:memory:` is none")
    await expect(opening("")).rejects.toThrow("Expected `store` to name a database file")
    await expect(opening("postgres://localhost/x")).rejects.toThrow("Postgres stores are not there yet")
    await expect(opening(path("none/calls.db"))).rejects.toThrow(
      `Cannot open the store ${path("none/calls.db")}`,
    )
    await expect(openDurableExecutor({ store, runner: false })).rejects.toThrow(
      `There is no store at ${store} yet: start what runs its calls first.`,
    )
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
})
