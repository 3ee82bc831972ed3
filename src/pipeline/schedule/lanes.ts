/**
 * The foreground calls of each lane take turns, in the order of their enqueueing; lanes do not wait for each other. Calls
 * that may share a turn have it together, where nothing else stands between them. An idle lane gives its turn in a
 * microtask, when its caller's code has returned.
 */

import { LateMap } from "./late-map.ts"
import { Ring } from "./ring.ts"
import { soon } from "./soon.ts"
import type { StepBudget } from "./step-budget.ts"

/** A call as a lane sees it. */
export interface LaneCall {
  readonly lane: string
  /** Whether its turn may be that of others like it too. */
  readonly shares: boolean
  /** Whether it has ended, and wants no turn. */
  readonly isOver: boolean
  /** Whether it has its turn, or is about to get it. The lane sets it. */
  hasTurn: boolean
  /** Gives it its turn. `inContext`: in the async context of its enqueuer. False where it does not want it any more. */
  start(inContext: boolean): boolean
}

interface Lane<T> {
  readonly name: string
  /** How many have their turn, or are about to get it: one, or several that share it. */
  active: number
  /** Whether those share it. */
  isShared: boolean
  /** Made when a call has to wait for another. Those that ended meanwhile leave when they come to the front. */
  waiting: Ring<T> | undefined
  /** How many of `waiting` have ended. */
  gone: number
  /** Whether somebody is giving turns. */
  pumping: boolean
}

/** How many calls have one turn together: each may hold a file, or a socket. */
const mostSharing = 256

/** Lanes without calls that are kept for their next one: to make one costs more than a short call. */
const keptIdle = 64

/** Whether this call may have its turn now, were it the next. */
const hasRoom = ({ active, isShared }: Lane<LaneCall>, { shares }: LaneCall): boolean =>
  active === 0 || (shares && isShared && active < mostSharing)

/** The lanes of all agents. Those without calls are dropped, but for a few. */
export class Lanes<T extends LaneCall> {
  private readonly lanes = new LateMap<string, Lane<T>>()
  private readonly budget: StepBudget
  private idle = 0

  constructor(budget: StepBudget) {
    this.budget = budget
  }

  /** Whether a call that joined this lane now might have to wait. */
  isBusy(name: string): boolean {
    const lane = this.lanes.get(name)
    return lane !== undefined && (lane.active > 0 || lane.pumping)
  }

  join(call: T): void {
    const lane = this.laneOf(call.lane)
    const isNext = !lane.pumping && (lane.waiting === undefined || lane.waiting.length === 0)
    if (!isNext || !hasRoom(lane, call)) {
      lane.waiting ??= new Ring()
      lane.waiting.push(call)
      return
    }
    if (lane.active === 0) this.idle -= 1
    this.giveTurn(lane, call)
    void soon.then(() => {
      if (call.hasTurn) call.start(true)
    })
  }

  /** The call has ended, or goes on in the background. */
  leave(call: T): void {
    const lane = this.lanes.get(call.lane)
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

  private giveTurn(lane: Lane<T>, call: T): void {
    call.hasTurn = true
    lane.active += 1
    lane.isShared = call.shares
  }

  private takeTurn(lane: Lane<T>, call: T): void {
    call.hasTurn = false
    lane.active -= 1
  }

  private laneOf(name: string): Lane<T> {
    const known = this.lanes.get(name)
    if (known !== undefined) return known
    const lane: Lane<T> = { name, active: 0, isShared: false, waiting: undefined, gone: 0, pumping: false }
    this.lanes.set(name, lane)
    this.idle += 1
    return lane
  }

  /** One that waits has ended. Half of them may be such, so that a line behind a call that waits for ever stays short. */
  private forget(lane: Lane<T>, waiting: Ring<T>): void {
    lane.gone += 1
    if (lane.gone * 2 <= waiting.length || waiting.length < 32) return
    for (let left = waiting.length; left > 0; left--) {
      const call = waiting.shift()!
      if (!call.isOver) waiting.push(call)
    }
    lane.gone = 0
  }

  /** Gives turns until there is no room for the next call. */
  private pump(lane: Lane<T>): void {
    if (lane.pumping) return
    const { waiting } = lane
    if (waiting !== undefined && waiting.length > 0) {
      lane.pumping = true
      for (let next = waiting.first(); next !== undefined; next = waiting.first()) {
        if (!next.isOver && !hasRoom(lane, next)) break
        if (!this.budget.take()) return this.pumpLater(lane)
        waiting.shift()
        if (next.isOver) lane.gone = Math.max(0, lane.gone - 1)
        else this.give(lane, next)
      }
      lane.pumping = false
    }
    if (lane.active === 0) this.rest(lane)
  }

  private pumpLater(lane: Lane<T>): void {
    this.budget.wait(() => {
      lane.pumping = false
      this.pump(lane)
    })
  }

  private give(lane: Lane<T>, call: T): void {
    this.giveTurn(lane, call)
    if (!call.start(false) && call.hasTurn) this.takeTurn(lane, call)
  }

  /** Nobody wants its turn. */
  private rest(lane: Lane<T>): void {
    lane.waiting = undefined
    lane.gone = 0
    this.idle += 1
    if (this.idle <= keptIdle) return
    this.idle -= 1
    this.lanes.delete(lane.name)
  }
}
