/** One call of the limit: its plan, and what its handlers see of it. */
import type { AsyncResource } from "node:async_hooks"
import type { HandlerFunction, ToolCall, ToolEvent, ToolOutput } from "stepline"
import type { Expiring } from "./deadlines.ts"

export interface BareHandler {
  readonly kind: "handler" | "finally"
  readonly call: HandlerFunction
}

export type BarePart = BareHandler | { readonly kind: "gate" }

/** Built like a pipeline. */
export class BarePlan {
  readonly parts: Array<BarePart> = []

  andThen(call: HandlerFunction): this {
    this.parts.push({ kind: "handler", call })
    return this
  }

  awaitApproval(): this {
    this.parts.push({ kind: "gate" })
    return this
  }

  finally(call: HandlerFunction): this {
    this.parts.push({ kind: "finally", call })
    return this
  }
}

/** A call before its turn. */
export interface Queued extends ToolCall {
  readonly origin: AsyncResource
  readonly createdAt: number
}

export interface Failure {
  readonly _tag: "Error" | "Denied" | "Cancelled"
  readonly content: string
  readonly cause?: unknown
}

export class BareCall implements Expiring {
  expiresAt = 0
  before: Expiring | undefined = undefined
  behind: Expiring | undefined = undefined
  output: ToolOutput | undefined = undefined
  failure: Failure | undefined = undefined
  hasPlace = false
  announced = false
  /** Ends the wait for a handler or for the host. */
  wake: (() => void) | undefined = undefined
  private controller: AbortController | undefined = undefined
  readonly call: Queued
  private readonly push: (event: ToolEvent) => void

  constructor(call: Queued, push: (event: ToolEvent) => void) {
    this.call = call
    this.push = push
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.failure !== undefined) this.controller.abort()
    return this.controller.signal
  }

  delta(content: string): void {
    const { agentId, callId } = this.call
    this.push({ _tag: "Delta", agentId, callId, content, seq: 0, at: 0 })
  }

  stop(failure: Failure): boolean {
    if (this.failure !== undefined) return false
    this.failure = failure
    this.controller?.abort()
    this.goOn()
    return true
  }

  goOn(): void {
    const { wake } = this
    this.wake = undefined
    wake?.()
  }
}
