/** The ends of calls that rows read from the store may not show yet. */

/** Calls that have ended here, until every later read shows their end. */
export class Endings {
  /** By call id, whether the end is stored. */
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

  /** Forgets a call that the store has refused. */
  delete(callId: string): void {
    this.areStored.delete(callId)
  }

  /** Forgets calls whose end is stored: every later read shows it. */
  forget(): void {
    for (const [callId, isStored] of this.areStored) if (isStored) this.areStored.delete(callId)
  }
}
