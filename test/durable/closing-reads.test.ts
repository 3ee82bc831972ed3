/** What is being read of a store while that is closed ends: nothing is thrown at who reads on. */
import { expect, it } from "vitest"
import { followEvents } from "../../src/durable/event-log.ts"
import { type CallStore, untilStored } from "../../src/durable/store.ts"
import { closedError } from "../../src/durable/store-error.ts"
import { deferred } from "../support/deferred.ts"

/** A store that is closed while a page of it is read. */
const closingStore = () => {
  const read = deferred()
  const store = {
    isClosed: false,
    mark: () => 0,
    changed: async () => {},
    events: () => read.promise,
    close: () => {
      store.isClosed = true
      read.reject(closedError())
    },
  }
  return { store: store as unknown as CallStore, read: read.promise, close: store.close }
}

it("events end", async () => {
  const { store, close } = closingStore()
  const next = followEvents(store, {}).next()
  close()
  expect(await next).toEqual({ done: true, value: undefined })
})

it("what is waited for does not come", async () => {
  const { store, read, close } = closingStore()
  const found = untilStored(store, () => read as Promise<undefined>)
  close()
  expect(await found).toBeUndefined()
})

it("another failure is told", async () => {
  const { store } = closingStore()
  const fails = async () => {
    throw new Error("The disk is full")
  }
  await expect(untilStored(store, fails)).rejects.toThrow("The disk is full")
  const failing = { ...store, events: fails } as unknown as CallStore
  await expect(followEvents(failing, {}).next()).rejects.toThrow("The disk is full")
})
