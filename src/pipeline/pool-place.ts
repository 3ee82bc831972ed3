/** A background call's place in the pool: asked for before a handler runs, given back while the call waits. */
import type { Pool, Release } from "./pool.ts"

export class PoolPlace {
  private readonly pool: Pool
  private held: Release | undefined
  private onGranted: (() => void) | undefined

  constructor(pool: Pool) {
    this.pool = pool
  }

  get isAskedFor(): boolean {
    return this.onGranted !== undefined
  }

  /** True where it has a place, or gets one at once; else `granted` is called later, unless it is released before. */
  take(granted: () => void): boolean {
    if (this.held !== undefined) return true
    let later = false
    this.onGranted = () => {
      if (later) granted()
    }
    this.pool.acquire((release) => {
      const { onGranted } = this
      if (onGranted === undefined) return release()
      this.held = release
      this.onGranted = undefined
      onGranted()
    })
    later = true
    return this.held !== undefined
  }

  /** It runs already, and counts for nobody until it next waits. */
  exempt(): void {
    this.held = () => undefined
  }

  release(): void {
    const { held } = this
    this.held = undefined
    this.onGranted = undefined
    held?.()
  }
}
