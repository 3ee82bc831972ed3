/** What many wait for in a store is looked for together. */
import { expect, it, onTestFinished } from "vitest"
import { PendingReads } from "../../src/durable/pending-reads.ts"
import { deferred, turn } from "../support/deferred.ts"

/** A store of numbers by name, which tells of its changes as one of a database does, and counts what it is asked. */
const storeOf = () => {
  const entries = new Map<string, number>()
  const waiting = new Set<() => void>()
  const looks: Array<ReadonlyArray<string>> = []
  let version = 0
  const changed = (mark: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (version !== mark || signal?.aborted === true || store.isClosed) return resolve()
      const wake = () => {
        waiting.delete(wake)
        resolve()
      }
      waiting.add(wake)
      signal?.addEventListener("abort", wake, { once: true })
    })
  const store = { isClosed: false, mark: () => version, changed }
  const tell = () => {
    version += 1
    for (const wake of [...waiting]) wake()
  }
  const found = (keys: ReadonlyArray<string>) => {
    looks.push(keys)
    return new Map(keys.flatMap((key) => (entries.has(key) ? [[key, entries.get(key)!] as const] : [])))
  }
  const put = (...puts: ReadonlyArray<readonly [string, number]>) => {
    for (const [key, value] of puts) entries.set(key, value)
    tell()
  }
  const close = () => {
    store.isClosed = true
    tell()
  }
  // Nothing waits for a change once nobody waits for what it may bring.
  onTestFinished(() => expect(waiting.size).toBe(0))
  return { store, looks, waiting, found, put, close, reads: new PendingReads(store, found) }
}

it("is one look for all who wait, at the beginning and after each change", async () => {
  const { looks, put, reads } = storeOf()
  const names = Array.from({ length: 500 }, (_, index) => `n${index}`)
  const all = Promise.all(names.map((name) => reads.of(name)))
  await turn()
  put(["other", 1])
  await turn()
  put(["n7", 7])
  await turn()
  expect(looks).toEqual([names, names, names])
  put(...names.map((name, index) => [name, index] as const))
  expect(await all).toEqual(names.map((_, index) => index))
  expect(looks).toHaveLength(4)
  expect(looks.at(-1)).toEqual(names.filter((name) => name !== "n7"))
})

it("gives at once what is there, also while others wait", async () => {
  const { put, reads } = storeOf()
  const late = reads.of("late")
  put(["there", 1])
  expect(await reads.of("there")).toBe(1)
  await turn()
  expect(await reads.of("there")).toBe(1)
  put(["late", 2])
  expect(await late).toBe(2)
})

it("is given to all who wait for the same", async () => {
  const { put, reads } = storeOf()
  const both = Promise.all([reads.of("a"), reads.of("a")])
  await turn()
  const third = reads.of("a")
  put(["a", 1])
  expect([...(await both), await third]).toEqual([1, 1, 1])
})

it("misses nothing that is stored while it is read", async () => {
  const { store, found, put } = storeOf()
  const gates = [deferred(), deferred(), deferred()]
  let reading = 0
  // What was there when it began to read, told late.
  const reads = new PendingReads(store, async (keys: ReadonlyArray<string>) => {
    const read = found(keys)
    await gates[reading++]?.promise
    return read
  })
  const first = reads.of("first")
  await turn()
  const second = reads.of("second")
  await turn()
  put(["first", 1], ["second", 2])
  for (const { resolve } of gates) resolve()
  expect([await first, await second]).toEqual([1, 2])
})

it("gives nobody what was read before they asked", async () => {
  const { store, put } = storeOf()
  const gates = [deferred(), deferred()]
  let version = 1
  let reading = 0
  const reads = new PendingReads(store, async (keys: ReadonlyArray<string>) => {
    const read = new Map(keys.map((key) => [key, version]))
    await gates[reading++]?.promise
    return read
  })
  const first = reads.of("a")
  await turn()
  version = 2
  const second = reads.of("a")
  await turn()
  gates[0]!.resolve()
  expect(await first).toBe(1)
  gates[1]!.resolve()
  expect(await second).toBe(2)
  put()
})

it("ends with its signal, and nothing is looked for any more", async () => {
  const { looks, put, reads, waiting } = storeOf()
  const [one, other] = [new AbortController(), new AbortController()]
  const both = [reads.of("a", one.signal), reads.of("a", other.signal)]
  await turn()
  one.abort()
  expect(await both[0]).toBeUndefined()
  expect(waiting.size).toBe(1)
  other.abort()
  expect(await both[1]).toBeUndefined()
  expect(waiting.size).toBe(0)
  expect(await reads.of("a", one.signal)).toBeUndefined()
  put(["a", 1])
  await turn()
  expect(looks).toEqual([["a"]])
})

it("goes on where the last one leaves as another comes", async () => {
  const { put, reads } = storeOf()
  const leaving = new AbortController()
  const left = reads.of("a", leaving.signal)
  await turn()
  leaving.abort()
  const next = reads.of("b")
  expect(await left).toBeUndefined()
  await turn()
  put(["b", 2])
  expect(await next).toBe(2)
})

it("does not come once the store is closed", async () => {
  const { close, reads } = storeOf()
  const waits = reads.of("a")
  await turn()
  close()
  expect(await waits).toBeUndefined()
  expect(await reads.of("a")).toBeUndefined()
})

it("fails for those who waited for it, and not for who comes later", async () => {
  const { store, found, put } = storeOf()
  let fails = true
  const reads = new PendingReads(store, (keys: ReadonlyArray<string>) => {
    if (fails) throw new Error("The disk is full")
    return found(keys)
  })
  await expect(reads.of("a")).rejects.toThrow("The disk is full")
  fails = false
  const later = reads.of("a")
  await turn()
  put(["a", 1])
  expect(await later).toBe(1)
})
