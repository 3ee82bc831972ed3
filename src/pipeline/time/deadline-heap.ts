/** Deadlines by time, earliest first: a binary heap whose entries know their slot, so that removing any of them takes O(log n). */

/** Something with a deadline. `expire` is called when the deadline has passed. */
export interface Expiring {
  /** In milliseconds of the deadlines' own clock. */
  expiresAt: number
  /** The position in the heap; undefined or negative while the deadline is not set. */
  slot?: number
  expire(): void
}

/** A heap of deadlines. */
export class DeadlineHeap {
  private readonly entries: Array<Expiring> = []

  get size(): number {
    return this.entries.length
  }

  /** The earliest deadline. */
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

  /** Removes a deadline. Returns whether it was set. */
  delete(entry: Expiring): boolean {
    const { slot } = entry
    if (slot === undefined || slot < 0) return false
    entry.slot = -1
    const last = this.entries.pop()!
    if (last === entry) return true
    // The last entry fills the slot, and moves from there to its own place.
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
