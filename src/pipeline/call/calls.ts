/** The calls that have not ended, by id, and the moment when none is left. */

import { soon } from "../schedule/soon.ts"
import type { CallActor } from "./actor.ts"

/** Which calls are cancelled, and why. */
export interface CancelOptions {
  /** Default: all agents. */
  readonly agentId?: string
  /** Told to the model. */
  readonly reason?: string
}

/** The calls that have not ended, in the order of enqueueing. */
export class ActiveCalls implements Iterable<CallActor> {
  private readonly calls = new Map<string, CallActor>()
  /** Told once all have ended, and what they brought about did not bring new ones. */
  private readonly idle: () => void
  private lastEnded: (() => void) | undefined

  constructor(idle: () => void) {
    this.idle = idle
  }

  get isEmpty(): boolean {
    return this.calls.size === 0
  }

  has(callId: string): boolean {
    return this.calls.has(callId)
  }

  get(callId: string): CallActor | undefined {
    return this.calls.get(callId)
  }

  /** In the order of enqueueing. */
  [Symbol.iterator](): IterableIterator<CallActor> {
    return this.calls.values()
  }

  add(call: CallActor): void {
    call.isActive = true
    this.calls.set(call.callId, call)
  }

  /** False for a call that was refused, and never was one of these. */
  delete(call: CallActor): boolean {
    const { isActive } = call
    call.isActive = false
    if (isActive) this.calls.delete(call.callId)
    if (this.isEmpty) {
      // The readers go home after the last event is told, and only if it did not bring new calls.
      void soon.then(() => {
        if (this.isEmpty) this.idle()
      })
      this.lastEnded?.()
    }
    return isActive
  }

  /** Ends foreground calls; gives how many. */
  cancel({ agentId, reason }: CancelOptions, applies: (call: CallActor) => boolean): number {
    let count = 0
    for (const call of [...this.calls.values()]) {
      if (call.record.call.background || (agentId !== undefined && call.agentId !== agentId)) continue
      if (applies(call) && call.cancel(reason)) count += 1
    }
    return count
  }

  async allEnded(): Promise<void> {
    while (!this.isEmpty) await new Promise<void>((resolve) => (this.lastEnded = resolve))
  }
}
