/** What an attempt at a pipeline holds while it runs: it has one at a time, and each finally handler has one of its own. */
import type { Fiber } from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { ToolOutput } from "../../output/output.ts"
import type { HandlerTrace } from "../../tracing/tracer.ts"
import type { EffectHandler, HandlerContext } from "../model/handler.ts"
import type { Step } from "../model/step.ts"
import type { BlockedDelta } from "./blocked-delta.ts"
import type { MidwayQuestions } from "./midway.ts"

/** One run through the handlers of a pipeline, and what is open of it. */
export class Attempt {
  /** What its handlers see, and the bound functions of it that one has read. */
  context: HandlerContext | undefined = undefined
  delta: HandlerContext["delta"] | undefined = undefined
  delegate: HandlerContext["delegate"] | undefined = undefined
  /** The handler that runs, and who traces it. */
  handler: EffectHandler<unknown> | undefined = undefined
  trace: HandlerTrace | undefined = undefined
  generator: AsyncIterator<Step, unknown> | undefined = undefined
  fiber: Fiber<unknown, unknown> | undefined = undefined
  /** What its Effects acquired. Made when the first one runs. */
  scope: Scope.Closeable | undefined = undefined
  /** The delta that waits for room, and what was asked through the context. */
  blocked: BlockedDelta | undefined = undefined
  questions: MidwayQuestions | undefined = undefined
  /** What a finally handler's effect was answered with: that handler sees it, and nobody else. */
  answer: ToolOutput | undefined = undefined
  /** Why it was ended from outside. */
  reason: unknown = undefined
  /** The same, where its handler was refused something before it was told. */
  refusal: DOMException | undefined = undefined
  /** Whether its last handler has ended. */
  isOver = false
  private controller: AbortController | undefined = undefined

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController()
      if (this.reason !== undefined) this.controller.abort(this.reason)
    }
    return this.controller.signal
  }

  /** Tells its handler that nobody waits for it. */
  abort(reason: unknown): void {
    this.reason = reason
    this.left(reason)
    this.blocked?.reject(reason)
    this.questions?.close(reason)
    this.controller?.abort(reason)
  }

  /** Its handler has ended. */
  left(failure: unknown): void {
    this.trace?.end(failure)
    this.trace = undefined
  }

  /** Closes its generator as `break` does; undefined where there is nothing to wait for. */
  closeGenerator(): Promise<unknown> | undefined {
    const { generator } = this
    this.generator = undefined
    return generator?.return === undefined ? undefined : closing(generator)
  }
}

const closing = async (generator: AsyncIterator<Step, unknown>): Promise<void> => {
  await generator.return?.()
}
