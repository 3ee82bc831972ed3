/** Waits until keys have a value in a store. One read looks up all keys, each time that something may have been stored. */
import { whenAborted } from "../model/when-aborted.ts"
import type { CallStore } from "./store.ts"

type Read<K, V> = (keys: ReadonlyArray<K>) => ReadonlyMap<K, V> | Promise<ReadonlyMap<K, V>>

interface Waiting<K, V> {
  readonly key: K
  readonly resolve: (value: V | undefined) => void
  readonly reject: (error: unknown) => void
  /** Removes the listener of its signal. */
  readonly release: (() => void) | undefined
}

/** The keys of one kind that callers wait for. */
export class PendingReads<K, V> {
  private readonly store: Pick<CallStore, "mark" | "changed" | "isClosed">
  private readonly read: Read<K, V>
  private readonly waiting = new Set<Waiting<K, V>>()
  /** Callers that no look has included yet. */
  private fresh: Array<Waiting<K, V>> = []
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
      const release = signal && whenAborted(signal, () => this.forget(waiting).resolve(undefined))
      const waiting: Waiting<K, V> = { key, resolve, reject, release }
      this.waiting.add(waiting)
      this.fresh.push(waiting)
      if (this.idle !== undefined) return this.idle.abort()
      this.idle = new AbortController()
      // Later, so that the first look includes all callers of this turn.
      queueMicrotask(() => void this.keepLooking())
    })
  }

  /** Looks for all keys whenever something may have been stored, and for new ones at once. */
  private async keepLooking(): Promise<void> {
    let mark = 0
    for (let isForAll = true; this.waiting.size > 0; isForAll = !this.idle.signal.aborted) {
      this.idle = new AbortController()
      try {
        // Marked before the read, so that `changed` detects what is stored during it.
        if (isForAll) mark = this.store.mark()
        await this.look(isForAll)
        await this.store.changed(mark, this.idle.signal)
        if (this.store.isClosed) for (const waiting of this.waiting) this.forget(waiting).resolve(undefined)
      } catch (error) {
        this.fail(this.waiting, error)
      }
    }
    this.idle = undefined
  }

  /** Settles the callers whose keys have a value. */
  private async look(isForAll: boolean): Promise<void> {
    const asked = isForAll ? [...this.waiting] : this.fresh.filter((waiting) => this.waiting.has(waiting))
    this.fresh = []
    try {
      const values =
        asked.length === 0 ? new Map() : await this.read([...new Set(asked.map(({ key }) => key))])
      for (const waiting of asked) {
        if (values.has(waiting.key)) this.forget(waiting).resolve(values.get(waiting.key))
      }
    } catch (error) {
      this.fail(asked, error)
    }
  }

  private fail(asked: Iterable<Waiting<K, V>>, error: unknown): void {
    for (const waiting of asked) {
      if (this.store.isClosed) this.forget(waiting).resolve(undefined)
      else this.forget(waiting).reject(error)
    }
  }

  private forget(waiting: Waiting<K, V>): Waiting<K, V> {
    waiting.release?.()
    this.waiting.delete(waiting)
    if (this.waiting.size === 0) this.idle?.abort()
    return waiting
  }
}
