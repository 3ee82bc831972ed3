/** The calls that have not ended, by id, and the moment when none is left. */

import type { CancellingParty } from "../model/decision.ts"
import { expectOptions, expectText } from "../model/got.ts"
import { SoloMap } from "../schedule/solo-map.ts"
import { soon } from "../schedule/soon.ts"
import type { CallActor } from "./actor.ts"
import type { EnqueuedCall } from "./enqueued.ts"
import { isRunning } from "./inspection.ts"

/** Who waits for the moment when no call is left. */
export interface Idle {
  /** Whether anybody does. */
  readonly isAwaited: boolean
  idle(): void
}

/** Which calls are cancelled, and why. */
export interface CancelOptions {
  /** Default: all agents. */
  readonly agentId?: string
  /** Told to the model. */
  readonly reason?: string
}

/** What is cancelled. Throws a TypeError for what would be taken for all agents, and is not meant so. */
export const readCancel = (method: string, options: CancelOptions | undefined): CancelOptions => {
  // As if it were not said, all calls would end.
  if (Object.hasOwn(Object(options), "callId"))
    throw new TypeError(`\`${method}\` ends the calls of agents. To end one call, use \`cancelCall(callId)\``)
  expectOptions(method, options, ["agentId", "reason"])
  expectText("agentId", options?.agentId)
  return options ?? {}
}

/** The calls that have not ended, in the order of enqueueing. */
export class ActiveCalls {
  private readonly calls = new SoloMap<string, EnqueuedCall>()
  /** Told once all have ended, and what they brought about did not bring new ones. */
  private readonly idle: Idle
  private lastEnded: (() => void) | undefined

  constructor(idle: Idle) {
    this.idle = idle
  }

  get isEmpty(): boolean {
    return this.calls.size === 0
  }

  has(callId: string): boolean {
    return this.calls.has(callId)
  }

  get(callId: string): CallActor | undefined {
    return this.calls.get(callId)?.actor
  }

  /** In the order of enqueueing. */
  all(): Array<EnqueuedCall> {
    return this.calls.values()
  }

  add(call: EnqueuedCall): void {
    call.isActive = true
    this.calls.set(call.call.callId, call)
  }

  /** They go on in another process. Resolves when what ran here has ended. */
  async leave(error: Error): Promise<void> {
    const left = this.all()
    this.calls.clear()
    await Promise.all(left.map((call) => call.leave(error)))
  }

  /** False for a call that was refused, and never was one of these. */
  delete(call: EnqueuedCall): boolean {
    const { isActive } = call
    if (isActive) {
      call.over()
      this.calls.delete(call.call.callId)
    }
    if (this.isEmpty) {
      if (this.idle.isAwaited) this.tellIdle()
      this.lastEnded?.()
    }
    return isActive
  }

  /** The readers go home after the last event is told, and only if it did not bring new calls. */
  private tellIdle(): void {
    void soon.then(() => {
      if (this.isEmpty) this.idle.idle()
    })
  }

  /** Ends foreground calls; gives how many. `running`: only those whose handlers run. */
  cancel({ agentId, reason }: CancelOptions, running: boolean, by?: CancellingParty): number {
    let count = 0
    for (const call of this.all()) {
      const { background, agentId: ofAgent } = call.call
      if (background || (agentId !== undefined && ofAgent !== agentId)) continue
      if (running && !isRunning(call.look())) continue
      if (call.actor.cancel(reason, by)) count += 1
    }
    return count
  }

  async allEnded(): Promise<void> {
    while (!this.isEmpty) await new Promise<void>((resolve) => (this.lastEnded = resolve))
  }
}
