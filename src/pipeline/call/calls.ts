/** The calls that have not ended, by id, and the moment when none is left. */

import { expectOptions, expectText } from "../model/got.ts"
import { soon } from "../schedule/soon.ts"
import type { Call } from "./call.ts"

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
  private readonly calls = new Map<string, Call>()
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

  get(callId: string): Call | undefined {
    return this.calls.get(callId)
  }

  /** In the order of enqueueing. */
  all(): Array<Call> {
    return [...this.calls.values()]
  }

  add(call: Call): void {
    call.isActive = true
    this.calls.set(call.toolCall.callId, call)
  }

  /** False for a call that was refused, and never was one of these. */
  delete(call: Call): boolean {
    const { isActive } = call
    if (isActive) {
      call.isActive = false
      this.calls.delete(call.toolCall.callId)
    }
    if (this.isEmpty) {
      if (this.idle.isAwaited) this.tellIdle()
      this.lastEnded?.()
    }
    return isActive
  }

  /** They go on in another process. */
  leave(): Array<Call> {
    const left = this.all()
    this.calls.clear()
    for (const call of left) call.isActive = false
    return left
  }

  /** The readers go home after the last event is told, and only if it did not bring new calls. */
  private tellIdle(): void {
    void soon.then(() => {
      if (this.isEmpty) this.idle.idle()
    })
  }

  async allEnded(): Promise<void> {
    while (!this.isEmpty) await new Promise<void>((resolve) => (this.lastEnded = resolve))
  }
}
