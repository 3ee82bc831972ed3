/**
 * The foreground calls of each lane take turns, in the order of their enqueueing; lanes do not wait for each other.
 * An idle lane gives its turn in a microtask, and is dropped once it is empty.
 */
import { Ring } from "./ring.ts"
import { soon } from "./soon.ts"
import type { StepBudget } from "./step-budget.ts"

/** A call as a lane sees it. */
export interface LaneCall {
  readonly lane: string
  /** Gives it its turn. False where it does not want it any more. */
  start(): boolean
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

/** The lanes of all agents. One without calls takes no room. */
export class Lanes<T extends LaneCall> {
  private readonly lanes = new Map<string, Lane<T>>()
  private readonly budget: StepBudget
  private readonly isOver: (call: T) => boolean

  /** `isOver`: whether a call that waited has ended, and wants no turn. */
  constructor(budget: StepBudget, isOver: (call: T) => boolean) {
    this.budget = budget
    this.isOver = isOver
  }

  join(call: T): void {
    const { lane: name } = call
    const lane = this.lanes.get(name)
    if (lane !== undefined) {
      lane.waiting ??= new Ring()
      lane.waiting.push(call)
      return
    }
    this.lanes.set(name, { name, current: call, waiting: undefined, gone: 0, pumping: false })
    void soon.then(() => call.start())
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

  /** One that waits has ended. Half of them may be such, so that a line behind a call that waits for ever stays short. */
  private forget(lane: Lane<T>, waiting: Ring<T>): void {
    lane.gone += 1
    if (lane.gone * 2 <= waiting.length || waiting.length < 32) return
    for (let left = waiting.length; left > 0; left--) {
      const call = waiting.shift()!
      if (!this.isOver(call)) waiting.push(call)
    }
    lane.gone = 0
  }

  /** Gives turns until one is taken for longer. */
  private pump(lane: Lane<T>): void {
    if (lane.pumping) return
    lane.pumping = true
    while (lane.current === undefined && lane.waiting !== undefined && lane.waiting.length > 0) {
      if (!this.budget.take()) {
        return this.budget.wait(() => {
          lane.pumping = false
          this.pump(lane)
        })
      }
      const call = lane.waiting.shift()!
      lane.current = call
      if (!call.start() && lane.current === call) {
        lane.current = undefined
        lane.gone = Math.max(0, lane.gone - 1)
      }
    }
    lane.pumping = false
    if (lane.current === undefined) this.lanes.delete(lane.name)
  }
}
