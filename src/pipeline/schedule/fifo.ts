/** A first-in, first-out queue that removes any value in constant time. */
export class Fifo<T> {
  /** Created with the first value, because an idle executor holds several empty queues. */
  private items: Set<T> | undefined
  /** Kept between reads: a new iterator would walk over all the values that were deleted at the front. */
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
    // A value that is added again later goes to the end.
    if (this.front === item) this.front = undefined
    return this.items?.delete(item) ?? false
  }

  /** The oldest value, which stays in the queue. */
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

  /** Removes and returns the oldest value. */
  shift(): T | undefined {
    const item = this.first()
    if (item !== undefined) this.delete(item)
    return item
  }

  [Symbol.iterator](): IterableIterator<T> {
    return (this.items ?? []).values()
  }
}
