/** The context that handlers receive. All properties are getters, so that nothing is created before a handler reads it. */

import * as Cause from "effect/Cause"
import type { DecidedBy } from "../../model/decision.ts"
import type { CallingAgent, CallMemory, HandlerContext, Resolution } from "../../model/handler.ts"
import type { HostEffect } from "../../model/host-effect.ts"
import type { DurationInput } from "../../model/step.ts"
import { whenAborted } from "../../model/when-aborted.ts"
import type { ToolOutput } from "../../output/output.ts"
import { CallRecorder } from "../../undo/call-recorder.ts"
import type { Attempt, Call } from "../call/call.ts"
import type { Engine, HandlerEffect } from "../engine.ts"
import { callTool } from "../nested/nesting.ts"
import { asks } from "../questions/deciding.ts"
import { ruledAgain } from "../questions/ruling.ts"
import { callableCall } from "./callable-call.ts"
import { delegate, delta } from "./streaming.ts"

/** The context of one attempt: all its handlers share it. */
export class AttemptContext implements HandlerContext {
  readonly #engine: Engine
  readonly #call: Call
  readonly #attempt: Attempt

  constructor(engine: Engine, call: Call, attempt: Attempt) {
    this.#engine = engine
    this.#call = call
    this.#attempt = attempt
  }

  /** Runs an Effect with the executor's services. The end of the attempt interrupts the Effect, and waits for its finalizers. */
  static runEffect(context: HandlerContext, effect: HandlerEffect): Promise<unknown> {
    if (!(#engine in context)) throw new TypeError("Expected the context that the handler received")
    const { signal } = context
    const attempt = context.#attempt
    return new Promise((resolve, reject) => {
      const fiber = context.#engine.fork(effect)
      attempt.fiber = fiber
      const release = whenAborted(signal, () => fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        release()
        if (attempt.fiber === fiber) attempt.fiber = undefined
        if (exit._tag === "Success") resolve(exit.value)
        else reject(signal.aborted ? signal.reason : Cause.squash(exit.cause))
      })
    })
  }

  /** Sets the output that the running handler sees; undefined for that of its call. */
  static showOutput(context: HandlerContext, output: ToolOutput | undefined): void {
    if (#attempt in context) context.#attempt.answer = output
  }

  /** Takes a step of a generator. Returns a promise if the step has to wait for the next turn of the event loop. */
  static room(context: HandlerContext): Promise<void> | undefined {
    return #engine in context ? context.#engine.budget.room() : undefined
  }

  /** Bound, so that it survives destructuring. */
  get delta(): HandlerContext["delta"] {
    const attempt = this.#attempt
    attempt.delta ??= (content, partial) => delta(this.#engine, this.#call, attempt, content, partial)
    return attempt.delta
  }

  get delegate(): HandlerContext["delegate"] {
    const attempt = this.#attempt
    attempt.delegate ??= (<S>(effect: HostEffect, options?: { readonly timeout?: DurationInput }) =>
      delegate(this.#engine, this.#call, attempt, effect, options?.timeout) as Promise<
        ToolOutput<S> | undefined
      >) as HandlerContext["delegate"]
    return attempt.delegate
  }

  get agent(): CallingAgent {
    return this.#engine.callingAgent(this.#call.toolCall.agentId)
  }

  get onShutdown(): HandlerContext["onShutdown"] {
    return this.#engine.onShutdown
  }

  get call(): HandlerContext["call"] {
    const attempt = this.#attempt
    const { subject } = this.#call
    if (attempt.callable === undefined || attempt.subject !== subject) {
      attempt.subject = subject
      attempt.callable = callableCall(subject, (name, params, options) =>
        callTool(this.#engine, this.#call, attempt, name, params, options),
      )
    }
    return attempt.callable
  }

  get asks(): HandlerContext["asks"] {
    const engine = this.#engine
    const { agentId } = this.#call.toolCall
    return (name, params = {}) => asks(engine, engine.toToolCall({ agentId, name, params }))
  }

  get cwd(): string {
    return this.#engine.settings.cwd
  }

  get workspace(): string | undefined {
    return this.#engine.settings.workspace
  }

  get denies(): (path: string) => boolean {
    const { filters } = this.#engine
    const { name } = this.#call.subject
    if (filters?.deniesPath === undefined) return () => false
    return (path) => {
      try {
        return filters.deniesPath!(name, path)
      } catch {
        // A filter that fails must not let the file be read.
        return true
      }
    }
  }

  get verdictOn(): HandlerContext["verdictOn"] {
    const engine = this.#engine
    const call = this.#call
    return (params) => {
      const { filters } = engine
      if (filters === undefined) return "run"
      // `decidedBy` is read each time, because a gate may have been decided since the last call.
      return ruledAgain(filters, engine.toolOf(call.subject.name), params, call.decidedBy)
    }
  }

  get output(): ToolOutput | undefined {
    return this.#attempt.answer ?? this.#call.output
  }

  get signal(): AbortSignal {
    return this.#attempt.signal
  }

  get meta(): HandlerContext["meta"] {
    return this.#call.toolCall.meta
  }

  get traceParent(): string | undefined {
    return this.#call.span?.traceParent
  }

  get idempotencyKey(): string {
    const { toolCall, state, decided, at } = this.#call
    // `decided` distinguishes the attempts: each restart follows a gate that the host decided with edited parameters.
    const part = state._tag === "Cleaning" ? `finally ${state.part}` : at
    return `${toolCall.callId}/${decided}/${part}`
  }

  get attempt(): number {
    return this.#call.attempts
  }

  get memory(): CallMemory {
    const call = this.#call
    call.memory ??= {}
    return call.memory
  }

  get receipt(): HandlerContext["receipt"] {
    return (receipt) => {
      const { handler } = this.#attempt
      if (handler?.undo !== undefined) this.changes?.receipt(handler, receipt)
    }
  }

  get changes(): CallRecorder | undefined {
    const { changes, settings, journal } = this.#engine
    return changes && new CallRecorder(changes, settings.cwd, this.#call, journal)
  }

  get decidedBy(): DecidedBy | undefined {
    return this.#call.decidedBy
  }

  get resolution(): Resolution | undefined {
    return this.#call.resolution
  }
}
