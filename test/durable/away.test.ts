/** A SQLite store that fails for a while. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { StoreDatabase } from "../../src/durable/sqlite/database.ts"
import { pipeline, Step } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { deferred } from "../support/deferred.ts"
import { durableOf, untilTag } from "./durable-of.ts"

const path = useTempFolder()
let store = ""
beforeEach(() => {
  store = path("calls.db")
})

const out = (text: string) => () => Step.Output(text)
const gated = () => pipeline().andThen(out("preview")).awaitApproval().andThen(out("done"))

describe("a store that is away", () => {
  it("holds the calls until it is back, and its host is told", async () => {
    const told: Array<unknown> = []
    const back = deferred()
    const ran: Array<string> = []
    const durable = await durableOf(
      store,
      {
        tool: pipeline()
          .awaitApproval()
          .andThen(() => {
            ran.push("handler")
            return Step.Output("done")
          }),
      },
      {
        onStoreError: (error) => {
          told.push(error)
          if (error === undefined) back.resolve()
        },
      },
    )
    await durable.enqueue([{ callId: "a", name: "tool" }])
    await untilTag(durable, "AwaitingApproval")
    const full = new Error("database or disk is full")
    let failures = 0
    const failed = deferred()
    const transaction = vi.spyOn(StoreDatabase.prototype, "transaction").mockImplementation(() => {
      failures += 1
      if (failures === 2) failed.resolve()
      throw full
    })
    onTestFinished(() => transaction.mockRestore())
    const approved = durable.approve("a")
    await failed.promise
    expect(ran).toEqual([])
    transaction.mockRestore()
    await back.promise
    expect(await approved).toBe(true)
    expect(await untilTag(durable, "Completed")).toMatchObject({ content: "done" })
    expect(ran).toEqual(["handler"])
    expect(told.at(0)).toBe(full)
    expect(told.at(-1)).toBeUndefined()
  })

  it("is tried once more when it is closed, and what is not stored then is rejected", async () => {
    const tool = gated()
    const durable = await durableOf(store, { tool })
    await durable.enqueue([{ callId: "a", name: "tool" }])
    await untilTag(durable, "AwaitingApproval")
    const transaction = vi.spyOn(StoreDatabase.prototype, "transaction").mockImplementation(() => {
      throw new Error("database or disk is full")
    })
    onTestFinished(() => transaction.mockRestore())
    const approved = expect(durable.approve("a")).rejects.toThrow(
      "The store failed until it was closed: this was not stored. Open it again, and ask again",
    )
    transaction.mockClear()
    await durable.close()
    expect(transaction).toHaveBeenCalledTimes(1)
    await approved
    transaction.mockRestore()
    const second = await durableOf(store, { tool })
    expect((await second.inbox()).map(({ callId }) => callId)).toEqual(["a"])
  })

  it("that is back when it is closed takes what waited", async () => {
    const told: Array<unknown> = []
    const tool = gated()
    const onStoreError = (error: unknown) => void told.push(error)
    const durable = await durableOf(store, { tool }, { onStoreError })
    await durable.enqueue([{ callId: "a", name: "tool" }])
    await untilTag(durable, "AwaitingApproval")
    const full = new Error("database or disk is full")
    const failed = deferred()
    const transaction = vi.spyOn(StoreDatabase.prototype, "transaction").mockImplementation(() => {
      failed.resolve()
      throw full
    })
    onTestFinished(() => transaction.mockRestore())
    const denied = durable.deny("a")
    await failed.promise
    transaction.mockRestore()
    await durable.close()
    expect(await denied).toBe(true)
    expect(told).toEqual([full, undefined])
    const second = await durableOf(store, { tool })
    expect(await second.result("a")).toMatchObject({ _tag: "Denied", callId: "a" })
  })
})
