/**
 * The foreground calls of each lane take turns, in the order of enqueueing; lanes do not wait for each other. Consecutive calls that
 * may share a turn run together. An idle lane gives a turn in a microtask, when its caller's code has returned.
 */

import { type Call, laneOf } from "../call/call.ts"
import { Ring } from "./ring.ts"
import { soon } from "./soon.ts"
import type { StepBudget } from "./step-budget.ts"

interface Lane {
  readonly name: string
  /** The number of calls that have the turn, or are about to get it: one, or several that share it. */
  active: number
  /** Whether the calls with the turn share it. */
  isShared: boolean
  /** Created when a call has to wait. Calls that ended while waiting are removed when they reach the front. */
  waiting: Ring<Call> | undefined
  /** How many calls in `waiting` have ended. */
  gone: number
  /** Whether `pump` is giving turns, which must not be re-entered. */
  pumping: boolean
}

/** How many calls may share a turn. Bounded, because each may hold a file or a socket. */
const mostSharing = 256

/** How many empty lanes are kept for their next call, because creating a lane costs more than a short call. */
const keptIdle = 64

/** The lanes of all agents. Most empty lanes are dropped. */
export class Lanes {
  private readonly lanes = new Map<string, Lane>()
  private readonly budget: StepBudget
  /** Whether calls that only read share a turn. */
  private readonly parallelReads: boolean
  /** Gives a call its turn. `inContext`: whether the call's async context is active. Returns false if the call has ended. */
  private readonly start: (call: Call, inContext: boolean) => boolean
  private idle = 0

  constructor(budget: StepBudget, parallelReads: boolean, start: Lanes["start"]) {
    this.budget = budget
    this.parallelReads = parallelReads
    this.start = start
  }

  /** Whether a call that joins this lane now might have to wait. */
  isBusy(name: string): boolean {
    const lane = this.lanes.get(name)
    return lane !== undefined && (lane.active > 0 || lane.pumping)
  }

  join(call: Call): void {
    const lane = this.named(laneOf(call.toolCall))
    const isNext = !lane.pumping && (lane.waiting === undefined || lane.waiting.length === 0)
    if (!isNext || !this.hasRoom(lane, call)) {
      lane.waiting ??= new Ring()
      lane.waiting.push(call)
      return
    }
    if (lane.active === 0) this.idle -= 1
    this.giveTurn(lane, call)
    void soon.then(() => {
      if (call.hasTurn) this.start(call, true)
    })
  }

  /** Removes a call that has ended or moved to the background. */
  leave(call: Call): void {
    const lane = this.lanes.get(laneOf(call.toolCall))
    if (lane === undefined) return
    if (call.hasTurn) {
      call.hasTurn = false
      lane.active -= 1
      this.pump(lane)
    } else if (lane.waiting !== undefined) {
      this.forget(lane, lane.waiting)
      // The calls behind the removed one may now share the current turn.
      if (lane.isShared) this.pump(lane)
    }
  }

  /** Whether this call, as the next one, may have its turn now. */
  private hasRoom({ active, isShared }: Lane, call: Call): boolean {
    return active === 0 || (isShared && active < mostSharing && this.shares(call))
  }

  /** Whether the call may share its turn. */
  private shares({ tool }: Call): boolean {
    return this.parallelReads && tool?.annotations.readOnly === true
  }

  private giveTurn(lane: Lane, call: Call): void {
    call.hasTurn = true
    lane.active += 1
    lane.isShared = this.shares(call)
  }

  private named(name: string): Lane {
    const known = this.lanes.get(name)
    if (known !== undefined) return known
    const lane: Lane = { name, active: 0, isShared: false, waiting: undefined, gone: 0, pumping: false }
    this.lanes.set(name, lane)
    this.idle += 1
    return lane
  }

  /** Counts an ended call in the queue. At half of the queue they are removed, so that a queue behind a stuck call stays short. */
  private forget(lane: Lane, waiting: Ring<Call>): void {
    // Of several calls that were taken out at once, an earlier removal may have removed this one too.
    lane.gone = Math.min(lane.gone + 1, waiting.length)
    if (lane.gone * 2 <= waiting.length || waiting.length < 32) return
    for (let left = waiting.length; left > 0; left--) {
      const call = waiting.shift()!
      if (call.isActive) waiting.push(call)
    }
    lane.gone = 0
  }

  /** Gives turns until the next call has to wait. An empty lane is dropped, or kept among a few for its next call. */
  private pump(lane: Lane): void {
    if (lane.pumping) return
    const { waiting } = lane
    if (waiting !== undefined && waiting.length > 0) {
      lane.pumping = true
      for (let next = waiting.first(); next !== undefined; next = waiting.first()) {
        if (next.isActive && !this.hasRoom(lane, next)) break
        if (!this.budget.take()) return this.pumpLater(lane)
        waiting.shift()
        if (!next.isActive) lane.gone = Math.max(0, lane.gone - 1)
        else this.give(lane, next)
      }
      lane.pumping = false
    }
    if (lane.active > 0) return
    lane.waiting = undefined
    lane.gone = 0
    if (this.idle < keptIdle) this.idle += 1
    else this.lanes.delete(lane.name)
  }

  private pumpLater(lane: Lane): void {
    this.budget.wait(() => {
      lane.pumping = false
      this.pump(lane)
    })
  }

  private give(lane: Lane, call: Call): void {
    this.giveTurn(lane, call)
    if (this.start(call, false) || !call.hasTurn) return
    call.hasTurn = false
    lane.active -= 1
  }
}
