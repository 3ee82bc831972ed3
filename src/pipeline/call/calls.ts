/** The active calls by id, and the moment when none is left. */

import { expectOptions, expectText } from "../../model/got.ts"
import { soon } from "../schedule/soon.ts"
import type { Call } from "./call.ts"

/** The readers that wait for the moment when no call is left. */
export interface Idle {
  /** Whether any reader waits. */
  readonly isAwaited: boolean
  idle(): void
}

/** Which calls to cancel, and why. */
export interface CancelOptions {
  /** Default: all agents. */
  readonly agentId?: string
  /** Shown to the model. */
  readonly reason?: string
}

/** Checks the options of a cancel. Throws a TypeError for options that would cancel the calls of all agents by mistake. */
export const readCancel = (method: string, options: CancelOptions | undefined): CancelOptions => {
  // If `callId` were ignored, all calls would be cancelled.
  if (Object.hasOwn(Object(options), "callId"))
    throw new TypeError(`\`${method}\` ends the calls of agents. To end one call, use \`cancelCall(callId)\``)
  expectOptions(method, options, ["agentId", "reason"])
  expectText("agentId", options?.agentId)
  return options ?? {}
}

/** The calls that have not ended, in the order of enqueueing. */
export class ActiveCalls {
  private readonly calls = new Map<string, Call>()
  /** Notified when all calls have ended without causing new ones. */
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

  /** All active calls, in the order of enqueueing. */
  all(): Array<Call> {
    return [...this.calls.values()]
  }

  add(call: Call): void {
    call.isActive = true
    this.calls.set(call.toolCall.callId, call)
  }

  /** Returns false for a call that was refused, and so was never active. */
  delete(call: Call): boolean {
    const { isActive } = call
    if (isActive) {
      call.isActive = false
      this.calls.delete(call.toolCall.callId)
    }
    if (this.calls.size === 0) {
      if (this.idle.isAwaited) this.tellIdle()
      this.lastEnded?.()
    }
    return isActive
  }

  /** Removes and returns all calls, because another process continues them. */
  leave(): Array<Call> {
    const left = this.all()
    this.calls.clear()
    for (const call of left) call.isActive = false
    return left
  }

  /** Waits for a microtask, because the last event may cause new calls. */
  private tellIdle(): void {
    void soon.then(() => {
      if (this.isEmpty) this.idle.idle()
    })
  }

  async allEnded(): Promise<void> {
    while (!this.isEmpty) await new Promise<void>((resolve) => (this.lastEnded = resolve))
  }
}
