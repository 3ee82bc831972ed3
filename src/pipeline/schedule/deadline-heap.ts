/** Deadlines by time, earliest first: a binary heap whose entries know their slot, so that any of them leaves in log time. */

/** What has a deadline, and is told when it has passed. */
export interface Expiring {
  /** In milliseconds of the deadlines' own clock. */
  expiresAt: number
  /** Where it stands in the heap; undefined or negative while it is not set. */
  slot?: number
  expire(): void
}

/** A heap of deadlines: the earliest is at hand, and any can leave. */
export class DeadlineHeap {
  private readonly entries: Array<Expiring> = []

  get size(): number {
    return this.entries.length
  }

  /** The earliest. */
  first(): Expiring | undefined {
    return this.entries[0]
  }

  has(entry: Expiring): boolean {
    return entry.slot !== undefined && entry.slot >= 0
  }

  add(entry: Expiring): void {
    this.entries.push(entry)
    this.rise(entry, this.entries.length - 1)
  }

  /** True if it was there. */
  delete(entry: Expiring): boolean {
    const { slot } = entry
    if (slot === undefined || slot < 0) return false
    entry.slot = -1
    const last = this.entries.pop()!
    if (last === entry) return true
    // The last takes its slot, and finds its own from there.
    this.rise(last, slot)
    this.sink(last, last.slot!)
    return true
  }

  clear(): void {
    for (const entry of this.entries) entry.slot = -1
    this.entries.length = 0
  }

  private rise(entry: Expiring, from: number): void {
    let slot = from
    while (slot > 0) {
      const above = this.entries[(slot - 1) >> 1]!
      if (above.expiresAt <= entry.expiresAt) break
      this.put(above, slot)
      slot = (slot - 1) >> 1
    }
    this.put(entry, slot)
  }

  private sink(entry: Expiring, from: number): void {
    let slot = from
    for (;;) {
      let below = 2 * slot + 1
      if (below >= this.entries.length) break
      const right = below + 1
      if (right < this.entries.length && this.entries[right]!.expiresAt < this.entries[below]!.expiresAt) {
        below = right
      }
      if (this.entries[below]!.expiresAt >= entry.expiresAt) break
      this.put(this.entries[below]!, slot)
      slot = below
    }
    this.put(entry, slot)
  }

  private put(entry: Expiring, slot: number): void {
    this.entries[slot] = entry
    entry.slot = slot
  }
}
