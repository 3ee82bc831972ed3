/**
 * The foreground calls of each lane take turns, in the order of their enqueueing; lanes do not wait for each other. Calls
 * that may share a turn have it together, where nothing else stands between them. An idle lane gives its turn in a
 * microtask, when its caller's code has returned.
 */

import { type Call, laneOf } from "../call/call.ts"
import { Ring } from "./ring.ts"
import { soon } from "./soon.ts"
import type { StepBudget } from "./step-budget.ts"

interface Lane {
  readonly name: string
  /** How many have their turn, or are about to get it: one, or several that share it. */
  active: number
  /** Whether those share it. */
  isShared: boolean
  /** Made when a call has to wait for another. Those that ended meanwhile leave when they come to the front. */
  waiting: Ring<Call> | undefined
  /** How many of `waiting` have ended. */
  gone: number
  /** Whether somebody is giving turns. */
  pumping: boolean
}

/** How many calls have one turn together: each may hold a file, or a socket. */
const mostSharing = 256

/** Lanes without calls that are kept for their next one: to make one costs more than a short call. */
const keptIdle = 64

/** The lanes of all agents. Those without calls are dropped, but for a few. */
export class Lanes {
  private readonly lanes = new Map<string, Lane>()
  private readonly budget: StepBudget
  /** Whether calls that only read share a turn. */
  private readonly parallelReads: boolean
  /** Gives a call its turn. `inContext`: in the async context of its enqueuer. False where it does not want it any more. */
  private readonly start: (call: Call, inContext: boolean) => boolean
  private idle = 0

  constructor(budget: StepBudget, parallelReads: boolean, start: Lanes["start"]) {
    this.budget = budget
    this.parallelReads = parallelReads
    this.start = start
  }

  /** Whether a call that joined this lane now might have to wait. */
  isBusy(name: string): boolean {
    const lane = this.lanes.get(name)
    return lane !== undefined && (lane.active > 0 || lane.pumping)
  }

  join(call: Call): void {
    const lane = this.named(laneOf(call))
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

  /** The call has ended, or goes on in the background. */
  leave(call: Call): void {
    const lane = this.lanes.get(laneOf(call))
    if (lane === undefined) return
    if (call.hasTurn) {
      this.takeTurn(lane, call)
      this.pump(lane)
    } else if (lane.waiting !== undefined) {
      this.forget(lane, lane.waiting)
      // Those behind it may share the turn of those before it.
      if (lane.isShared) this.pump(lane)
    }
  }

  /** Whether this call may have its turn now, were it the next. */
  private hasRoom({ active, isShared }: Lane, call: Call): boolean {
    return active === 0 || (isShared && active < mostSharing && this.shares(call))
  }

  /** Whether its turn may be that of others like it too. */
  private shares({ tool }: Call): boolean {
    return this.parallelReads && tool?.annotations.readOnly === true
  }

  private giveTurn(lane: Lane, call: Call): void {
    call.hasTurn = true
    lane.active += 1
    lane.isShared = this.shares(call)
  }

  private takeTurn(lane: Lane, call: Call): void {
    call.hasTurn = false
    lane.active -= 1
  }

  private named(name: string): Lane {
    const known = this.lanes.get(name)
    if (known !== undefined) return known
    const lane: Lane = { name, active: 0, isShared: false, waiting: undefined, gone: 0, pumping: false }
    this.lanes.set(name, lane)
    this.idle += 1
    return lane
  }

  /** One that waits has ended. Half of them may be such, so that a line behind a call that waits for ever stays short. */
  private forget(lane: Lane, waiting: Ring<Call>): void {
    lane.gone += 1
    if (lane.gone * 2 <= waiting.length || waiting.length < 32) return
    for (let left = waiting.length; left > 0; left--) {
      const call = waiting.shift()!
      if (call.isActive) waiting.push(call)
    }
    lane.gone = 0
  }

  /** Gives turns until there is no room for the next call. */
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
    if (lane.active === 0) this.rest(lane)
  }

  private pumpLater(lane: Lane): void {
    this.budget.wait(() => {
      lane.pumping = false
      this.pump(lane)
    })
  }

  private give(lane: Lane, call: Call): void {
    this.giveTurn(lane, call)
    if (!this.start(call, false) && call.hasTurn) this.takeTurn(lane, call)
  }

  /** Nobody wants its turn. */
  private rest(lane: Lane): void {
    lane.waiting = undefined
    lane.gone = 0
    this.idle += 1
    if (this.idle <= keptIdle) return
    this.idle -= 1
    this.lanes.delete(lane.name)
  }
}
