/** How long a call may still run. The clock stands still while the call waits for its host. */
import type { Deadlines, Expiring } from "../schedule/deadlines.ts"

export class CallClock implements Expiring {
  expiresAt = 0
  slot = -1
  private readonly deadlines: Deadlines
  private readonly owner: { timedOut(): void }
  private left: number
  private runs = false

  constructor(deadlines: Deadlines, owner: { timedOut(): void }, limit: number) {
    this.deadlines = deadlines
    this.owner = owner
    this.left = limit
  }

  start(): void {
    if (this.runs || this.left === Number.POSITIVE_INFINITY) return
    this.runs = true
    this.deadlines.set(this, this.left)
  }

  stop(): void {
    if (!this.runs) return
    this.runs = false
    this.deadlines.clear(this)
    this.left = Math.max(0, this.expiresAt - this.deadlines.now())
  }

  /** For good: what is left does not matter. */
  end(): void {
    this.deadlines.clear(this)
  }

  expire(): void {
    this.runs = false
    this.left = 0
    this.owner.timedOut()
  }
}
