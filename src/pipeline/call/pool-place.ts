/** A background call's place in the pool: asked for before a handler runs, given back while the call waits. */
import type { PlaceTaker, Pool } from "../schedule/pool.ts"

/** What goes on once it has a place. */
interface Waiting {
  go(): void
}

export class PoolPlace implements PlaceTaker {
  private readonly pool: Pool
  /** `exempt`: it has no place and needs none. */
  private state: "none" | "asked" | "held" | "exempt" = "none"
  private waiting: Waiting | undefined

  constructor(pool: Pool) {
    this.pool = pool
  }

  get isAskedFor(): boolean {
    return this.state === "asked"
  }

  private get isHeld(): boolean {
    return this.state === "held" || this.state === "exempt"
  }

  /** True where it has a place, or gets one at once; else `waiting` goes on later, unless the place is released before. */
  take(waiting: Waiting): boolean {
    if (this.isHeld) return true
    this.state = "asked"
    this.pool.acquire(this)
    if (this.isHeld) return true
    this.waiting = waiting
    return false
  }

  accept(): boolean {
    if (this.state !== "asked") return false
    const { waiting } = this
    this.state = "held"
    this.waiting = undefined
    waiting?.go()
    return true
  }

  /** It runs already, and counts for nobody until it next waits. */
  exempt(): void {
    this.state = "exempt"
  }

  release(): void {
    const { state } = this
    this.state = "none"
    this.waiting = undefined
    if (state === "held") this.pool.release()
  }
}
