/**
 * The foreground calls of each agent take turns, in the order of their enqueueing; agents do not wait for each other.
 * An idle lane gives its turn in a microtask, and is dropped once it is empty.
 */
import { Fifo } from "./fifo.ts"
import type { StepBudget } from "./step-budget.ts"

/** Its `then` is the cheapest microtask that Node has. */
const asked = Promise.resolve()

/** A call as a lane sees it. */
export interface LaneCall {
  readonly agentId: string
  start(): void
}

interface Lane<T> {
  readonly agentId: string
  /** The one that has its turn, or is about to get it. */
  current: T | undefined
  /** Made when a call has to wait for another. */
  waiting: Fifo<T> | undefined
  /** Whether somebody is giving turns. */
  pumping: boolean
}

export class Lanes<T extends LaneCall> {
  private readonly lanes = new Map<string, Lane<T>>()
  private readonly budget: StepBudget
  /** Lanes that lost their current call while turns were held back. */
  private held: Set<Lane<T>> | undefined

  constructor(budget: StepBudget) {
    this.budget = budget
  }

  join(call: T): void {
    const { agentId } = call
    const lane = this.lanes.get(agentId)
    if (lane !== undefined) {
      lane.waiting ??= new Fifo()
      lane.waiting.add(call)
      return
    }
    this.lanes.set(agentId, { agentId, current: call, waiting: undefined, pumping: false })
    void asked.then(() => call.start())
  }

  /** Nobody gets a turn meanwhile: of many calls that end at once, none may start because the one before it ended. */
  holdWhile(action: () => void): void {
    if (this.held !== undefined) return action()
    this.held = new Set()
    action()
    const { held } = this
    this.held = undefined
    for (const lane of held) this.pump(lane)
  }

  /** The call has ended, or goes on in the background. */
  leave(call: T): void {
    const lane = this.lanes.get(call.agentId)
    if (lane === undefined) return
    if (lane.current !== call) {
      lane.waiting?.delete(call)
      return
    }
    lane.current = undefined
    if (this.held === undefined) this.pump(lane)
    else this.held.add(lane)
  }

  /** Gives turns until one is taken for longer. */
  private pump(lane: Lane<T>): void {
    if (lane.pumping) return
    lane.pumping = true
    while (lane.current === undefined && lane.waiting !== undefined && lane.waiting.size > 0) {
      if (!this.budget.take()) {
        return this.budget.wait(() => {
          lane.pumping = false
          this.pump(lane)
        })
      }
      lane.current = lane.waiting.shift()!
      lane.current.start()
    }
    lane.pumping = false
    if (lane.current === undefined) this.lanes.delete(lane.agentId)
  }
}
