/** Limits how long a call may stay in a state. The call's running time pauses while it waits for its host. */

import type { CallState } from "../call/state.ts"
import type { Deadlines, Expiring } from "./deadlines.ts"

/** Whether this state uses up the call's running time. */
const isClocked = ({ _tag }: CallState): boolean => _tag === "Running" || _tag === "Preparing"

/** Whether handlers may run again after this state. If not, the remaining running time does not matter. */
const mayRunOn = ({ _tag }: CallState): boolean =>
  _tag !== "Judging" && _tag !== "Ended" && _tag !== "Cleaning"

/** The timer of a call: set again at each change of its state. */
export class CallTimer implements Expiring {
  expiresAt = 0
  slot = -1
  /** The state that the timer is set for. */
  private timed: CallState | undefined
  /** The remaining running time in milliseconds; undefined before the call ran. */
  private left: number | undefined
  /** Whether the running handler waits for its consumer, which pauses the call's running time. */
  isBlocked = false
  /** Whether the call waits for nested calls that wait, which pauses its running time as well. */
  private isPaused = false
  /** Further deadlines in the same state, set by `expectWithin`. */
  private late: Array<Expiring> | undefined
  private readonly deadlines: Deadlines
  private readonly timedOut: () => void

  /** `left`: the remaining running time of a restored call. */
  constructor(deadlines: Deadlines, timedOut: () => void, left?: number) {
    this.deadlines = deadlines
    this.timedOut = timedOut
    this.left = left
  }

  /** The remaining running time in milliseconds; undefined if the call has not run under a limit. */
  get timeLeft(): number | undefined {
    const { timed } = this
    if (timed === undefined || this.isBlocked || this.isPaused || !isClocked(timed)) return this.left
    return Math.max(0, this.expiresAt - this.deadlines.now())
  }

  /** Milliseconds until the timer expires; undefined while it is not set. */
  get remaining(): number | undefined {
    return this.slot < 0 ? undefined : Math.max(0, this.expiresAt - this.deadlines.now())
  }

  /** Starts the timer for this state, unless it is running already. */
  start(state: CallState, limit: number): void {
    if (this.timed === state || this.isBlocked) return
    this.timed = state
    this.deadlines.set(this, isClocked(state) ? Math.min(this.left ?? limit, limit) : limit)
  }

  /** Calls `late` if the state is still the same after this time. */
  expectWithin(state: CallState, millis: number, late: () => void): void {
    this.timed = state
    this.late ??= []
    this.late.push(this.deadlines.after(millis, late))
  }

  /** Pauses the running time while the handler waits for its consumer: meanwhile only this limit holds. */
  block(state: CallState, limit: number): void {
    this.stop()
    this.isBlocked = true
    this.timed = state
    this.deadlines.set(this, limit)
  }

  /** Pauses the running time while nested calls wait. Nothing bounds the pause. */
  pause(): void {
    const { timed } = this
    if (timed === undefined || this.isBlocked || this.isPaused || !isClocked(timed)) return
    this.stop()
    this.isPaused = true
    this.timed = timed
  }

  /** Ends the pause for nested calls. */
  resume(): void {
    const { timed, left } = this
    if (!this.isPaused) return
    this.isPaused = false
    this.timed = undefined
    if (timed !== undefined && left !== undefined) this.start(timed, left)
  }

  /** Ends the pause. Returns false if there was none. */
  unblock(): boolean {
    if (!this.isBlocked) return false
    this.stop()
    this.isBlocked = false
    return true
  }

  /** Stops the timer if the state has changed. */
  follow(state: CallState): void {
    const { timed } = this
    if (timed === undefined || timed === state) return
    // All steps of one finally handler share one limit, but further deadlines are those of one step.
    if (timed._tag === "Cleaning" && state._tag === "Cleaning" && timed.part === state.part) {
      this.timed = state
      this.clearLate()
      return
    }
    this.stop(mayRunOn(state))
  }

  stop(keepLeft = true): void {
    const { timed } = this
    if (timed === undefined) return
    this.timed = undefined
    const stoodStill = this.isBlocked || this.isPaused
    this.isBlocked = false
    this.isPaused = false
    if (keepLeft && !stoodStill && isClocked(timed))
      this.left = Math.max(0, this.expiresAt - this.deadlines.now())
    this.deadlines.clear(this)
    this.clearLate()
  }

  private clearLate(): void {
    for (const entry of this.late ?? []) this.deadlines.clear(entry)
    this.late = undefined
  }

  /** Starts again, with another limit and a fresh running time. */
  restart(state: CallState, limit: number): void {
    const runs = this.timed === state && isClocked(state)
    if (runs) this.stop(false)
    this.left = undefined
    if (runs) this.start(state, limit)
  }

  expire(): void {
    this.timed = undefined
    this.timedOut()
  }
}
