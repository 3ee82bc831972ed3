/** What handlers see of their attempt: a view, so that nothing is made before it is read. */

import type { ToolOutput } from "../../output/output.ts"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { CallingAgent, CallMemory, HandlerContext, Resolution } from "../model/handler.ts"
import type { Engine } from "./engine.ts"
import { ruledAgain } from "./ruling.ts"
import type { CallRecord } from "./state.ts"

/** The attempt that a context is a view of. */
export interface ViewedAttempt extends Pick<HandlerContext, "delta" | "delegate" | "signal"> {
  readonly owner: { readonly engine: Engine; readonly record: CallRecord }
  readonly answer: ToolOutput | undefined
}

/** The context of one attempt: all its handlers share it. */
export class AttemptContext implements HandlerContext {
  /** One private field: each costs every call. */
  readonly #attempt: ViewedAttempt

  constructor(attempt: ViewedAttempt) {
    this.#attempt = attempt
  }

  /** Bound, so that it survives destructuring. */
  get delta(): HandlerContext["delta"] {
    return this.#attempt.delta
  }

  get delegate(): HandlerContext["delegate"] {
    return this.#attempt.delegate
  }

  get agent(): CallingAgent {
    const { engine, record } = this.#attempt.owner
    return engine.callingAgent(record.call.agentId)
  }

  get onShutdown(): HandlerContext["onShutdown"] {
    return this.#attempt.owner.engine.onShutdown
  }

  get call(): ToolCall {
    return this.#attempt.owner.record.subject
  }

  get cwd(): string {
    return this.#attempt.owner.engine.settings.cwd
  }

  get workspace(): string | undefined {
    return this.#attempt.owner.engine.settings.workspace
  }

  get denies(): (path: string) => boolean {
    const { engine, record } = this.#attempt.owner
    const { filters } = engine
    const call = record.subject
    if (filters?.deniesPath === undefined) return () => false
    return (path) => {
      try {
        return filters.deniesPath!(call.name, path)
      } catch {
        // A filter that cannot tell must not let the file be read.
        return true
      }
    }
  }

  get verdictOn(): HandlerContext["verdictOn"] {
    const { owner } = this.#attempt
    return (params) => {
      const { engine, record } = owner
      const { filters } = engine
      if (filters === undefined) return "run"
      // Read at each question: a gate may have been decided since the last one.
      return ruledAgain(filters, engine.toolOf(record.subject.name), params, record.decidedBy)
    }
  }

  get output(): ToolOutput | undefined {
    return this.#attempt.answer ?? this.#attempt.owner.record.output
  }

  get signal(): AbortSignal {
    return this.#attempt.signal
  }

  get meta(): HandlerContext["meta"] {
    return this.#attempt.owner.record.call.meta
  }

  get idempotencyKey(): string {
    const { call, state, decided, at } = this.#attempt.owner.record
    // Each attempt but the first follows a gate that was decided with other parameters.
    const part = state._tag === "Cleaning" ? `finally ${state.part}` : at
    return `${call.callId}/${decided}/${part}`
  }

  get memory(): CallMemory {
    const { record } = this.#attempt.owner
    record.memory ??= {}
    return record.memory
  }

  get decidedBy(): DecidedBy | undefined {
    return this.#attempt.owner.record.decidedBy
  }

  get resolution(): Resolution | undefined {
    return this.#attempt.owner.record.resolution
  }
}
