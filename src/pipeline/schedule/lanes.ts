/**
 * The foreground calls of each lane take turns, in the order of their enqueueing; lanes do not wait for each other.
 * An idle lane gives its turn in a microtask, when its caller's code has returned.
 */
import { Ring } from "./ring.ts"
import { soon } from "./soon.ts"
import type { StepBudget } from "./step-budget.ts"

/** A call as a lane sees it. */
export interface LaneCall {
  readonly lane: string
  /** Whether it has ended, and wants no turn. */
  readonly isOver: boolean
  /** Gives it its turn. `inContext`: in the async context of its enqueuer. False where it does not want it any more. */
  start(inContext: boolean): boolean
}

interface Lane<T> {
  readonly name: string
  /** The one that has its turn, or is about to get it. */
  current: T | undefined
  /** Made when a call has to wait for another. Those that ended meanwhile leave when they come to the front. */
  waiting: Ring<T> | undefined
  /** How many of `waiting` have ended. */
  gone: number
  /** Whether somebody is giving turns. */
  pumping: boolean
}

/** Nobody has the turn, and nobody is about to be given it. */
const isIdle = ({ current, pumping }: Lane<LaneCall>): boolean => current === undefined && !pumping

/** Lanes without calls that are kept for their next one: to make one costs more than a short call. */
const keptIdle = 64

/** The lanes of all agents. Those without calls are dropped, but for a few. */
export class Lanes<T extends LaneCall> {
  private readonly lanes = new Map<string, Lane<T>>()
  private readonly budget: StepBudget
  private idle = 0

  constructor(budget: StepBudget) {
    this.budget = budget
  }

  /** Whether a call that joined this lane now would have to wait. */
  isBusy(name: string): boolean {
    const lane = this.lanes.get(name)
    return lane !== undefined && !isIdle(lane)
  }

  join(call: T): void {
    const lane = this.laneOf(call.lane)
    if (!isIdle(lane)) {
      lane.waiting ??= new Ring()
      lane.waiting.push(call)
      return
    }
    this.idle -= 1
    lane.current = call
    void soon.then(() => {
      if (lane.current === call) call.start(true)
    })
  }

  /** The call has ended, or goes on in the background. */
  leave(call: T): void {
    const lane = this.lanes.get(call.lane)
    if (lane === undefined) return
    if (lane.current === call) {
      lane.current = undefined
      this.pump(lane)
    } else if (lane.waiting !== undefined) this.forget(lane, lane.waiting)
  }

  private laneOf(name: string): Lane<T> {
    const known = this.lanes.get(name)
    if (known !== undefined) return known
    const lane: Lane<T> = { name, current: undefined, waiting: undefined, gone: 0, pumping: false }
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

  /** Gives turns until one is taken for longer. */
  private pump(lane: Lane<T>): void {
    if (lane.pumping) return
    const { waiting } = lane
    if (waiting !== undefined && waiting.length > 0) {
      lane.pumping = true
      while (lane.current === undefined && waiting.length > 0) {
        if (!this.budget.take()) return this.pumpLater(lane)
        this.give(lane, waiting.shift()!)
      }
      lane.pumping = false
    }
    if (lane.current === undefined) this.rest(lane)
  }

  private pumpLater(lane: Lane<T>): void {
    this.budget.wait(() => {
      lane.pumping = false
      this.pump(lane)
    })
  }

  private give(lane: Lane<T>, call: T): void {
    lane.current = call
    if (call.start(false) || lane.current !== call) return
    lane.current = undefined
    lane.gone = Math.max(0, lane.gone - 1)
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
