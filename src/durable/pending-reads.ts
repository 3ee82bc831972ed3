/** Waits until keys have a value in a store. One read looks up all keys, each time that something may have been stored. */
import { whenAborted } from "../model/when-aborted.ts"
import type { CallStore } from "./store.ts"

type Read<K, V> = (keys: ReadonlyArray<K>) => ReadonlyMap<K, V> | Promise<ReadonlyMap<K, V>>

interface Waiting<V> {
  /** The number of looks that had begun before this request. Their values may be out of date. */
  readonly since: number
  readonly resolve: (value: V | undefined) => void
  readonly reject: (error: unknown) => void
  /** Removes the listener of its signal. */
  readonly release: (() => void) | undefined
}

/** The keys of one kind that callers wait for. */
export class PendingReads<K, V> {
  private readonly store: Pick<CallStore, "mark" | "changed" | "isClosed">
  private readonly read: Read<K, V>
  private readonly waiting = new Map<K, Set<Waiting<V>>>()
  /** Keys that no look has included yet. */
  private fresh: Array<K> = []
  /** The number of looks that have begun. */
  private looks = 0
  /** Ends the wait for the next change. Undefined while no caller waits for a key. */
  private idle: AbortController | undefined

  /** `read` returns the values of some keys. Keys that it leaves out are looked up again. */
  constructor(store: Pick<CallStore, "mark" | "changed" | "isClosed">, read: Read<K, V>) {
    this.store = store
    this.read = read
  }

  /**
   * Resolves with the value of a key once there is one; with undefined if the signal is aborted or the store is closed first. Rejects
   * if the read fails.
   */
  of(key: K, signal?: AbortSignal): Promise<V | undefined> {
    if (signal?.aborted === true || this.store.isClosed) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.forget(key, waiting)
        resolve(undefined)
      }
      const release = signal && whenAborted(signal, leave)
      const waiting: Waiting<V> = { since: this.looks, resolve, reject, release }
      const all = this.waiting.get(key)
      if (all === undefined) this.waiting.set(key, new Set([waiting]))
      else all.add(waiting)
      if (this.fresh.push(key) === 1) queueMicrotask(() => void this.begin())
    })
  }

  /** Looks once for all new keys of this turn. The loop of `keepLooking` detects later changes. */
  private async begin(): Promise<void> {
    const keys = this.fresh
    this.fresh = []
    await (this.idle === undefined ? this.keepLooking() : this.look(keys))
  }

  private async keepLooking(): Promise<void> {
    while (this.waiting.size > 0) {
      this.idle = new AbortController()
      await this.lookAndWait(this.idle.signal)
    }
    this.idle = undefined
  }

  /** Looks for all keys, then waits until something may have been stored. */
  private async lookAndWait(signal: AbortSignal): Promise<void> {
    try {
      // Marked before the read, so that `changed` detects what is stored during it.
      const mark = this.store.mark()
      await this.look([...this.waiting.keys()])
      await this.store.changed(mark, signal)
      if (this.store.isClosed) this.end()
    } catch (error) {
      this.fail([...this.waiting.keys()], error)
    }
  }

  /** Settles the keys that have a value. */
  private async look(keys: ReadonlyArray<K>): Promise<void> {
    const look = ++this.looks
    try {
      for (const [key, value] of await this.read(keys))
        for (const { resolve } of this.take(key, look)) resolve(value)
    } catch (error) {
      this.fail(keys, error, look)
    }
  }

  private fail(keys: ReadonlyArray<K>, error: unknown, look?: number): void {
    if (this.store.isClosed) return this.end()
    for (const key of keys) for (const { reject } of this.take(key, look)) reject(error)
  }

  private end(): void {
    for (const key of [...this.waiting.keys()]) for (const { resolve } of this.take(key)) resolve(undefined)
  }

  /** Removes and returns the requests for a key that were made before a look began. */
  private take(key: K, look = Number.POSITIVE_INFINITY): Array<Waiting<V>> {
    const taken = [...(this.waiting.get(key) ?? [])].filter(({ since }) => since < look)
    for (const waiting of taken) this.forget(key, waiting)
    return taken
  }

  private forget(key: K, waiting: Waiting<V>): void {
    waiting.release?.()
    const all = this.waiting.get(key)
    all?.delete(waiting)
    if (all?.size === 0) this.waiting.delete(key)
    if (this.waiting.size === 0) this.idle?.abort()
  }
}
