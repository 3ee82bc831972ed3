/** A first-in, first-out queue in one growing array: push, shift and pop in constant time. */
export class Ring<T> {
  /** Empty before the first value, because an idle executor holds several rings. */
  private slots: Array<T | undefined> = []
  private head = 0
  /** The number of values. */
  length = 0

  push(value: T): void {
    if (this.length === this.slots.length) this.resize(Math.max(8, this.length * 2))
    this.slots[(this.head + this.length) & (this.slots.length - 1)] = value
    this.length += 1
  }

  /** The oldest value, which stays in the ring. */
  first(): T | undefined {
    return this.length === 0 ? undefined : this.slots[this.head]
  }

  /** The value at this index, counted from the oldest. */
  at(index: number): T {
    return this.slots[(this.head + index) & (this.slots.length - 1)]!
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const value = this.slots[this.head]
    this.slots[this.head] = undefined
    this.head = (this.head + 1) & (this.slots.length - 1)
    this.length -= 1
    // A large array is replaced, so that a burst does not keep its memory.
    if (this.length === 0 && this.slots.length > 1024) this.resize(8)
    return value
  }

  /** Removes the value that was pushed last. */
  pop(): T | undefined {
    if (this.length === 0) return undefined
    this.length -= 1
    const last = (this.head + this.length) & (this.slots.length - 1)
    const value = this.slots[last]
    this.slots[last] = undefined
    return value
  }

  private resize(capacity: number): void {
    const slots = new Array<T | undefined>(capacity)
    for (let i = 0; i < this.length; i++) slots[i] = this.slots[(this.head + i) & (this.slots.length - 1)]
    this.slots = slots
    this.head = 0
  }
}
