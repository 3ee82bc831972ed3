/** Values in the order of their adding; any of them leaves in constant time, and so does the first. */
export class Fifo<T> {
  private readonly items = new Set<T>()
  /** Kept between reads: a fresh iterator would walk over all that were deleted before it. */
  private iterator: Iterator<T> | undefined
  private front: T | undefined

  get size(): number {
    return this.items.size
  }

  add(item: T): void {
    this.items.add(item)
  }

  has(item: T): boolean {
    return this.items.has(item)
  }

  delete(item: T): boolean {
    // It may come back, and then stands last.
    if (this.front === item) this.front = undefined
    return this.items.delete(item)
  }

  /** The oldest value, which stays. */
  first(): T | undefined {
    while (this.items.size > 0) {
      if (this.front !== undefined && this.items.has(this.front)) return this.front
      this.iterator ??= this.items.values()
      const { done, value } = this.iterator.next()
      if (done === true) this.iterator = undefined
      else this.front = value
    }
    this.iterator = undefined
    this.front = undefined
    return undefined
  }

  /** Takes the oldest value. */
  shift(): T | undefined {
    const item = this.first()
    if (item !== undefined) this.delete(item)
    return item
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.items.values()
  }
}
