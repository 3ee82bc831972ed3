/** How long a call may stay where it is. The time that it may run stands still while it waits for its host. */
import type { Deadlines, Expiring } from "../schedule/deadlines.ts"
import type { CallState } from "./state.ts"

/** Whether the call's own time runs in this state. */
const isClocked = ({ _tag }: CallState): boolean => _tag === "Running" || _tag === "Preparing"

/** Whether the call may run on after this state: else it does not matter what is left. */
const mayRunOn = ({ _tag }: CallState): boolean =>
  _tag !== "Judging" && _tag !== "Ended" && _tag !== "Cleaning"

/** The one time-out of a call: set anew at each change of its state. */
export class CallTimer implements Expiring {
  expiresAt = 0
  slot = -1
  /** The state that it is set for. */
  private timed: CallState | undefined
  /** Milliseconds that the call may still run; undefined before it ran. */
  private left: number | undefined
  /** Whether the handler that runs waits for its consumer: then the call's own time stands still. */
  isBlocked = false
  /** What is done where the state is still the same after a while. */
  private late: Expiring | undefined
  private readonly deadlines: Deadlines
  private readonly timedOut: () => void

  /** `left`: of a call that ran before. */
  constructor(deadlines: Deadlines, timedOut: () => void, left?: number) {
    this.deadlines = deadlines
    this.timedOut = timedOut
    this.left = left
  }

  /** Milliseconds that the call may still run; undefined where it has not run within a limit. */
  get timeLeft(): number | undefined {
    const { timed } = this
    if (timed === undefined || this.isBlocked || !isClocked(timed)) return this.left
    return Math.max(0, this.expiresAt - this.deadlines.now())
  }

  /** Milliseconds until the time that is set runs out; undefined while none is. */
  get remaining(): number | undefined {
    return this.slot < 0 ? undefined : Math.max(0, this.expiresAt - this.deadlines.now())
  }

  /** Starts in this state, unless it runs in it already. */
  start(state: CallState, limit: number): void {
    if (this.timed === state || this.isBlocked) return
    this.timed = state
    this.deadlines.set(this, isClocked(state) ? Math.min(this.left ?? limit, limit) : limit)
  }

  /** Does something where the state is still the same after this time. */
  expectWithin(state: CallState, millis: number, late: () => void): void {
    this.timed = state
    this.late = this.deadlines.after(millis, late)
  }

  /** The handler waits for its consumer: from here on this limit holds, and no other. */
  block(state: CallState, limit: number): void {
    this.stop()
    this.isBlocked = true
    this.timed = state
    this.deadlines.set(this, limit)
  }

  /** False where it was not blocked. */
  unblock(): boolean {
    if (!this.isBlocked) return false
    this.stop()
    this.isBlocked = false
    return true
  }

  /** Stops where the state is another now. */
  follow(state: CallState): void {
    const { timed } = this
    if (timed === undefined || timed === state) return
    // The steps of one finally handler share its time.
    if (timed._tag === "Cleaning" && state._tag === "Cleaning" && timed.part === state.part) {
      this.timed = state
      return
    }
    this.stop(mayRunOn(state))
  }

  stop(keepLeft = true): void {
    const { timed } = this
    if (timed === undefined) return
    this.timed = undefined
    const { isBlocked } = this
    this.isBlocked = false
    if (keepLeft && !isBlocked && isClocked(timed))
      this.left = Math.max(0, this.expiresAt - this.deadlines.now())
    this.deadlines.clear(this)
    if (this.late !== undefined) this.deadlines.clear(this.late)
    this.late = undefined
  }

  /** Another limit holds from here on. */
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
