/** Values in the order of their adding; any of them leaves in constant time, and so does the first. */
export class Fifo<T> {
  /** Made with the first value: an idle executor holds several. */
  private items: Set<T> | undefined
  /** Kept between reads: a fresh iterator would walk over all that were deleted before it. */
  private iterator: Iterator<T> | undefined
  private front: T | undefined

  get size(): number {
    return this.items?.size ?? 0
  }

  add(item: T): void {
    this.items ??= new Set()
    this.items.add(item)
  }

  has(item: T): boolean {
    return this.items?.has(item) ?? false
  }

  delete(item: T): boolean {
    // It may come back, and then stands last.
    if (this.front === item) this.front = undefined
    return this.items?.delete(item) ?? false
  }

  /** The oldest value, which stays. */
  first(): T | undefined {
    const { items } = this
    while (items !== undefined && items.size > 0) {
      if (this.front !== undefined && items.has(this.front)) return this.front
      this.iterator ??= items.values()
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
    return (this.items ?? []).values()
  }
}
