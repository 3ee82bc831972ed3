/** The calls that have not ended: their lanes, what cancels them, and the moment when none is left. */
import { Lanes } from "../schedule/lanes.ts"
import type { StepBudget } from "../schedule/step-budget.ts"
import type { Run } from "./run.ts"

export interface CancelOptions {
  /** Default: all agents. */
  readonly agentId?: string
  /** Told to the model. */
  readonly reason?: string
}

/** Its `then` is the cheapest microtask that Node has. */
const soon = Promise.resolve()

export class ActiveCalls implements Iterable<Run> {
  private readonly runs = new Map<string, Run>()
  private readonly lanes: Lanes<Run>
  /** Told once all have ended, and what they brought about did not bring new ones. */
  private readonly idle: () => void
  private lastEnded: (() => void) | undefined

  constructor(budget: StepBudget, idle: () => void) {
    this.lanes = new Lanes(budget)
    this.idle = idle
  }

  get isEmpty(): boolean {
    return this.runs.size === 0
  }

  has(callId: string): boolean {
    return this.runs.has(callId)
  }

  get(callId: string): Run | undefined {
    return this.runs.get(callId)
  }

  /** In the order of enqueueing. */
  [Symbol.iterator](): IterableIterator<Run> {
    return this.runs.values()
  }

  /** A call that is started in its lane, or at once: then in a microtask, when the caller's code has ended. */
  add(run: Run, inLane: boolean): void {
    this.track(run)
    if (inLane) this.lanes.join(run)
    else void soon.then(() => run.start())
  }

  /** A call that somebody else starts. */
  track(run: Run): void {
    this.runs.set(run.callId, run)
  }

  leaveLane(run: Run): void {
    this.lanes.leave(run)
  }

  ended(run: Run): void {
    this.runs.delete(run.callId)
    if (!this.isEmpty) return
    // The readers go home after the last event is told, and only if it did not bring new calls.
    void soon.then(() => {
      if (this.isEmpty) this.idle()
    })
    this.lastEnded?.()
  }

  /** Ends foreground calls; gives how many. */
  cancel({ agentId, reason }: CancelOptions, applies: (run: Run) => boolean): number {
    let count = 0
    this.lanes.holdWhile(() => {
      for (const run of [...this.runs.values()]) {
        if (run.call.background || (agentId !== undefined && run.agentId !== agentId)) continue
        if (applies(run) && run.cancel(reason)) count += 1
      }
    })
    return count
  }

  /** Ends all calls. Those that are cleaning up are helped on where they wait for a host that is gone. */
  close(reason: string): void {
    this.lanes.holdWhile(() => {
      for (const run of [...this.runs.values()]) {
        if (!run.cancel(reason)) run.dialogue.failUnread()
      }
    })
  }

  async allEnded(): Promise<void> {
    while (!this.isEmpty) await new Promise<void>((resolve) => (this.lastEnded = resolve))
  }
}
