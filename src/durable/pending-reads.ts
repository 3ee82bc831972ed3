/** What many wait for in a store: all of it is looked for together, each time that something may have been stored. */
import { whenAborted } from "../pipeline/model/when-aborted.ts"
import type { CallStore } from "./store.ts"

type Read<K, V> = (keys: ReadonlyArray<K>) => ReadonlyMap<K, V> | Promise<ReadonlyMap<K, V>>

interface Waiting<V> {
  /** How many looks had begun before: what those find was there before it was asked for, and may be no longer. */
  readonly since: number
  readonly resolve: (value: V | undefined) => void
  readonly reject: (error: unknown) => void
  /** Lets go of its signal. */
  readonly release: (() => void) | undefined
}

/** Reads of one kind that are waited for, by what is read. */
export class PendingReads<K, V> {
  private readonly store: Pick<CallStore, "mark" | "changed" | "isClosed">
  private readonly read: Read<K, V>
  private readonly waiting = new Map<K, Set<Waiting<V>>>()
  /** Not looked for yet. */
  private fresh: Array<K> = []
  /** How many looks have begun. */
  private looks = 0
  /** Ends the wait for the next change. Undefined while nothing is waited for. */
  private idle: AbortController | undefined

  /** `read`: what there is of some keys. Those that it leaves out are looked for again. */
  constructor(store: Pick<CallStore, "mark" | "changed" | "isClosed">, read: Read<K, V>) {
    this.store = store
    this.read = read
  }

  /**
   * Resolves with what there is of a key, once there is something; with undefined where the signal is aborted, or the store is
   * closed, before. Rejects with what fails to be read.
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

  /** Those of one turn are looked for together. What is stored after that is seen by the look that goes on, if one does. */
  private async begin(): Promise<void> {
    const keys = this.fresh
    this.fresh = []
    await (this.idle === undefined ? this.goOn() : this.look(keys))
  }

  private async goOn(): Promise<void> {
    while (this.waiting.size > 0) {
      this.idle = new AbortController()
      await this.lookAndWait(this.idle.signal)
    }
    this.idle = undefined
  }

  /** Looks for all, and waits until there may be more. */
  private async lookAndWait(signal: AbortSignal): Promise<void> {
    try {
      // Taken before it is read: what is stored meanwhile is seen the next time.
      const mark = this.store.mark()
      await this.look([...this.waiting.keys()])
      await this.store.changed(mark, signal)
      if (this.store.isClosed) this.end()
    } catch (error) {
      this.fail([...this.waiting.keys()], error)
    }
  }

  /** Settles those of which there is something. */
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

  /** Those who waited for it, before a look had begun. */
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
