/** What handlers see of their attempt: a view, so that nothing is made before it is read. */
import type { ToolCall } from "../model/call.ts"
import type { CallingAgent, CallMemory, HandlerContext, Resolution } from "../model/handler.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { ToolOutput } from "../model/output.ts"
import type { Attempt } from "./attempt.ts"
import type { Engine } from "./engine.ts"
import type { CallRecord } from "./state.ts"

/** What a context looks into. */
export interface ContextSource {
  readonly record: CallRecord
  readonly engine: Engine
}

export class AttemptContext implements HandlerContext {
  readonly #source: ContextSource
  readonly #attempt: Attempt
  #delta: HandlerContext["delta"] | undefined
  #delegate: HandlerContext["delegate"] | undefined

  constructor(source: ContextSource, attempt: Attempt) {
    this.#source = source
    this.#attempt = attempt
  }

  /** Bound, so that it survives destructuring. */
  get delta(): HandlerContext["delta"] {
    this.#delta ??= (content, partial) =>
      this.#attempt.stream(content, partial, () => this.#source.engine.budget.room())
    return this.#delta
  }

  get delegate(): HandlerContext["delegate"] {
    this.#delegate ??= (effect, options) => this.#attempt.ask(effect as HostEffect, options?.timeout)
    return this.#delegate
  }

  get agent(): CallingAgent {
    const { engine, record } = this.#source
    return engine.callingAgent(record.call.agentId)
  }

  get call(): ToolCall {
    return this.#source.record.subject
  }

  get cwd(): string {
    return this.#source.engine.settings.cwd
  }

  get workspace(): string | undefined {
    return this.#source.engine.settings.workspace
  }

  get denies(): (path: string) => boolean {
    const { engine, record } = this.#source
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

  get output(): ToolOutput | undefined {
    return this.#attempt.answer ?? this.#source.record.output
  }

  get signal(): AbortSignal {
    return this.#attempt.signal
  }

  get memory(): CallMemory {
    const { record } = this.#source
    record.memory ??= {}
    return record.memory
  }

  get resolution(): Resolution | undefined {
    return this.#source.record.resolution
  }
}
