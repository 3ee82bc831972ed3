/**
 * The foreground calls of each agent take turns, in the order of their enqueueing; agents do not wait for each other.
 * An idle lane gives its turn in a microtask, and is dropped once it is empty.
 */
import { Fifo } from "./fifo.ts"
import type { Turns } from "./turns.ts"

/** A call as a lane sees it. */
export interface LaneCall {
  readonly agentId: string
  start(): void
}

interface Lane<T> {
  readonly agentId: string
  /** The one that has its turn. */
  current: T | undefined
  readonly waiting: Fifo<T>
  /** Whether somebody is about to give the next turn. */
  pumping: boolean
}

type Later = (task: () => void) => void

export class Lanes<T extends LaneCall> {
  private readonly lanes = new Map<string, Lane<T>>()
  private readonly turns: Turns

  constructor(turns: Turns) {
    this.turns = turns
  }

  join(call: T): void {
    const { agentId } = call
    let lane = this.lanes.get(agentId)
    if (lane === undefined) {
      lane = { agentId, current: undefined, waiting: new Fifo(), pumping: false }
      this.lanes.set(agentId, lane)
    }
    lane.waiting.add(call)
    if (lane.current === undefined && !lane.pumping) this.pumpLater(lane, queueMicrotask)
  }

  /** The call has ended, or goes on in the background. */
  leave(call: T): void {
    const lane = this.lanes.get(call.agentId)
    if (lane === undefined) return
    lane.waiting.delete(call)
    if (lane.current !== call) return
    lane.current = undefined
    this.pump(lane)
  }

  private pumpLater(lane: Lane<T>, later: Later): void {
    lane.pumping = true
    later(() => {
      lane.pumping = false
      this.pump(lane)
    })
  }

  /** Gives turns until one is taken for longer. */
  private pump(lane: Lane<T>): void {
    if (lane.pumping) return
    lane.pumping = true
    while (lane.current === undefined) {
      if (lane.waiting.size > 0 && this.turns.areOver()) {
        return this.pumpLater(lane, (task) => this.turns.wait(task))
      }
      const call = lane.waiting.shift()
      if (call === undefined) break
      lane.current = call
      call.start()
    }
    lane.pumping = false
    if (lane.current === undefined && this.lanes.get(lane.agentId) === lane) this.lanes.delete(lane.agentId)
  }
}
