// @module-tag waits
/** What happens to the file of a store from outside: a second owner, which the lock cannot rule out, and a file that is moved. */
import { copyFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { expect, it } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { handler, pipeline, Step } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { deferred, until } from "../support/deferred.ts"
import { registryOf } from "../support/executor-of.ts"
import { durableOf, untilTag } from "./durable-of.ts"

const path = useTempFolder()

it("a second owner is refused under another name of the file", async () => {
  await durableOf(path("calls.db"), {})
  symlinkSync(path("calls.db"), path("link.db"))
  const opening = openDurableExecutor({ store: path("link.db"), registry: registryOf({}) })
  await expect(opening).rejects.toThrow(`${path("link.db")} is in use: another process runs its calls`)
})

it("a second owner takes over where the owner's file was removed, and the first one runs nothing more", async () => {
  const runs: Array<string> = []
  const plan = (owner: string) => ({
    pay: pipeline()
      .awaitApproval()
      .andThen(
        handler(
          "pay",
          () => {
            runs.push(owner)
            return Step.Output(`paid by ${owner}`)
          },
          { retry: "never" },
        ),
      ),
  })
  const told = deferred<unknown>()
  const first = await durableOf(path("calls.db"), plan("the first"), { onStoreError: told.resolve })
  first.executor.enqueue([{ callId: "c", name: "pay" }])
  await untilTag(first, "AwaitingApproval")
  rmSync(path("calls.db-owner"))
  const second = await durableOf(path("calls.db"), plan("the second"))
  const asked = await untilTag(second, "AwaitingApproval")
  first.executor.approve("c")
  expect(await told.promise).toMatchObject({
    name: "StoreError",
    message: `Another process has opened ${path("calls.db")} as its owner, and runs its calls from here on: this one has stopped. Start one process a store, and leave the file ${path("calls.db")}-owner alone`,
  })
  asked.approve()
  await untilTag(second, "Completed")
  expect(runs).toEqual(["the second"])
  await expect(first.enqueue([{ name: "pay" }])).rejects.toThrow("The store was closed: open it again")
})

it("a client that waits is told where the file is replaced", async () => {
  const durable = await durableOf(path("calls.db"), { done: pipeline().andThen(() => Step.Output("done")) })
  await durable.executor.run({ callId: "c", name: "done" })
  await using client = await openDurableExecutor({ store: path("calls.db"), runner: false })
  let after = 0
  const reading = (async () => {
    for await (const event of client.events({ after })) {
      after = event.seq
      if (event._tag === "Completed") renameSync(path("other.db"), path("calls.db"))
    }
  })()
  copyFileSync(path("calls.db"), path("other.db"))
  await expect(reading).rejects.toThrow(
    `${path("calls.db")} was moved, deleted or replaced while it was open`,
  )
})

it("the host is told where the file is moved away, and what waits is stored once the file is back", async () => {
  const told: Array<unknown> = []
  const done = pipeline().andThen(() => Step.Output("done"))
  const onStoreError = (error: unknown) => told.push(error)
  const durable = await durableOf(path("calls.db"), { done }, { onStoreError })
  renameSync(path("calls.db"), path("elsewhere.db"))
  durable.executor.enqueue([{ callId: "c", name: "done" }])
  await until(() => told.length > 0)
  expect(told[0]).toMatchObject({
    name: "StoreError",
    message: `${path("calls.db")} was moved, deleted or replaced while it was open. Nothing is stored until the file is back`,
  })
  renameSync(path("elsewhere.db"), path("calls.db"))
  expect(await untilTag(durable, "Completed")).toMatchObject({ content: "done" })
  expect(told.at(-1)).toBeUndefined()
})
