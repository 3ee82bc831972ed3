/** Which calls have ended here: what is read of the store may not say so yet. */

/** The calls that have ended, until what is read says so. */
export class Endings {
  /** By their ids, whether that is stored. */
  private readonly areStored = new Map<string, boolean>()

  has(callId: string): boolean {
    return this.areStored.has(callId)
  }

  add(callId: string): void {
    this.areStored.set(callId, false)
  }

  stored(callId: string): void {
    this.areStored.set(callId, true)
  }

  /** It was none of this store's. */
  delete(callId: string): void {
    this.areStored.delete(callId)
  }

  /** What is read from now on says of which calls the end is stored. */
  forget(): void {
    for (const [callId, isStored] of this.areStored) if (isStored) this.areStored.delete(callId)
  }
}
