/**
 * Runs the handlers of one attempt, one at a time, in whatever shape they come, and tells the call what each gave. It
 * knows nothing of what follows. An Effect runs in a fiber of its own, so that an interruption reaches it and can wait for
 * its finalizers; a promise is told by the signal, an async generator by `return`.
 */
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Fiber } from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { ToolOutput } from "../../output/output.ts"
import type { HandlerTrace } from "../../tracing/tracer.ts"
import type { EffectHandler, HandlerContext } from "../model/handler.ts"
import type { HostEffect } from "../model/host-effect.ts"
import { type DurationInput, isStep, type Step } from "../model/step.ts"
import { isThenable, leaveAlone } from "../model/thenable.ts"
import { BlockedDelta, rejectedDelta } from "./blocked-delta.ts"
import type { Engine } from "./engine.ts"
import { AttemptContext, type ViewedAttempt } from "./handler-context.ts"
import { isAsyncIterable, isOwnEffect, notAStep } from "./handler-return.ts"
import { MidwayQuestions } from "./midway.ts"
import type { Origin } from "./origin.ts"
import type { Answer, CallRecord } from "./state.ts"

/** What a handler may give as an Effect; the services that it needs are in the context of the executor. */
export type HandlerEffect = Effect.Effect<unknown, unknown, unknown>

/** Whom an attempt works for. Each answer names the `run` that it belongs to. */
export interface AttemptOwner {
  readonly record: CallRecord
  readonly engine: Engine
  readonly asyncContext: Origin
  /** Runs it; what it acquires is the scope's. */
  fork(effect: HandlerEffect, scope?: Scope.Scope): Fiber<unknown, unknown>
  /** Something was acquired that ends with the attempt. */
  scoped(): void
  /** It did not end well. */
  unclosed(error: unknown): void
  returned(run: number, step: Step, more: boolean): void
  exhausted(run: number): void
  failed(run: number, error: unknown, cause?: unknown, more?: boolean): void
  /** The handler did not end at once: from here on the time that is allowed may run out. */
  suspended(): void
  /** It waits until its consumer has room, and no longer does. */
  blocked(): void
  unblocked(): void
  /** The handler asks its host. False where it cannot any more. */
  asked(effect: HostEffect, timeout: DurationInput | undefined): boolean
  /** Why nothing is streamed any more: the call was cancelled, though the handler is yet to be told. */
  readonly refusal: DOMException | undefined
  /** A promise where the consumer has no room. */
  streamed(content: string, partial: unknown): Promise<void> | undefined
}

const ignore = () => undefined

/** One run through the handlers of a pipeline, and what is open of it: a fiber, a promise, a generator. */
export class Attempt implements ViewedAttempt {
  readonly owner: AttemptOwner
  private readonly context: HandlerContext = new AttemptContext(this)
  private controller: AbortController | undefined
  private generator: AsyncIterator<Step, unknown> | undefined
  private fiber: Fiber<unknown, unknown> | undefined
  private observer: HandlerTrace | undefined
  /** The one that runs. */
  private handler: EffectHandler<unknown> | undefined
  private blocked: BlockedDelta | undefined
  private questions: MidwayQuestions | undefined
  private boundDelta: HandlerContext["delta"] | undefined
  private boundDelegate: HandlerContext["delegate"] | undefined
  /** What its Effects acquired. Made when the first one runs. */
  private scope: Scope.Closeable | undefined
  /** Why it was ended from outside. */
  private reason: unknown
  /** Whether its last handler has ended. */
  private over = false
  /** What a finally handler's effect was answered with: its own, and nobody else's. */
  answer: ToolOutput | undefined

  constructor(owner: AttemptOwner) {
    this.owner = owner
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController()
      if (this.reason !== undefined) this.controller.abort(this.reason)
    }
    return this.controller.signal
  }

  /** Whether a generator that a handler gave has more steps. */
  get isReading(): boolean {
    return this.generator !== undefined
  }

  /** Calls a handler. */
  run(run: number, handler: EffectHandler<unknown>, observer: HandlerTrace | undefined): void {
    const { context } = this
    this.observer = observer
    this.handler = handler
    try {
      const returned =
        observer === undefined ? handler.call(context) : observer.run(() => handler.call(context))
      // It has cancelled its own call: nobody reads what it gave.
      if (this.reason !== undefined) leaveAlone(returned)
      else if (isStep(returned)) this.returned(run, returned, false)
      else this.suspend(run, returned)
    } catch (error) {
      this.failed(run, error)
    }
  }

  /** Ends what runs. `stopped` is called when an Effect's finalizers have run; nothing else is waited for. */
  end(reason: unknown, stopped: () => void): void {
    this.reason = reason
    this.left(reason)
    this.blocked?.reject(reason)
    this.questions?.close(reason)
    this.controller?.abort(reason)
    this.closeGenerator()?.catch(ignore)
    const { fiber } = this
    const interrupted = () => this.closeScope(Exit.interrupt(), stopped)
    if (fiber === undefined) return interrupted()
    fiber.addObserver(interrupted)
    fiber.interruptUnsafe()
  }

  /** The attempt is over in order: its generator is closed as `break` does, then what was acquired; both are waited for. */
  close(closed: () => void): void {
    const closeScope = () => this.closeScope(Exit.void, closed)
    const closing = this.closeGenerator()
    if (closing === undefined) closeScope()
    else closing.then(closeScope, closeScope)
  }

  private closeScope(exit: Exit.Exit<unknown, unknown>, closed: () => void): void {
    const { scope } = this
    this.scope = undefined
    const closing = scope && Scope.closeUnsafe(scope, exit)
    if (closing === undefined) return closed()
    const fiber = this.owner.fork(closing)
    fiber.addObserver((end) => {
      if (end._tag === "Failure") this.owner.unclosed(Cause.squash(end.cause))
      closed()
    })
  }

  /** Its last handler has ended: what is streamed later is refused. */
  finish(): void {
    this.over = true
    this.closeScope(Exit.void, ignore)
    this.questions?.close(new DOMException("The call has ended", "AbortError"))
  }

  /** As a handler's context gives it: bound, and made once. */
  get delta(): HandlerContext["delta"] {
    this.boundDelta ??= (content, partial) => this.stream(content, partial)
    return this.boundDelta
  }

  get delegate(): HandlerContext["delegate"] {
    this.boundDelegate ??= (<S>(effect: HostEffect, options?: { readonly timeout?: DurationInput }) =>
      this.ask(effect, options?.timeout) as Promise<ToolOutput<S> | undefined>) as HandlerContext["delegate"]
    return this.boundDelegate
  }

  private stream(content: string, partial: unknown): Promise<void> {
    const refusal = this.reason ?? this.owner.refusal
    if (refusal !== undefined) return rejectedDelta(refusal)
    if (this.over) return rejectedDelta(new DOMException("The call has ended", "AbortError"))
    const room = this.owner.streamed(String(content), partial)
    if (room !== undefined) {
      // Who streams on does not wait for the one before.
      if (this.blocked === undefined) this.owner.blocked()
      else this.owner.unblocked()
    }
    const wait = room ?? this.owner.engine.budget.room()
    if (wait === undefined) return Promise.resolve()
    this.blocked ??= new BlockedDelta(wait, () => {
      this.blocked = undefined
      this.owner.unblocked()
    })
    return this.blocked.promise
  }

  /** Asks the host on behalf of the running handler. */
  private ask(effect: HostEffect, timeout: DurationInput | undefined): Promise<ToolOutput | undefined> {
    const refusal = this.reason ?? this.owner.refusal
    if (refusal !== undefined) return rejectedDelta(refusal)
    this.questions ??= new MidwayQuestions((asked, within) => !this.over && this.owner.asked(asked, within))
    return this.questions.ask(effect, timeout)
  }

  /** The host's answer to what was asked so. */
  reply(answer: Answer): void {
    this.questions?.reply(answer)
  }

  private suspend(run: number, returned: unknown): void {
    if (isOwnEffect(this.handler, returned)) return this.execute(run, returned as HandlerEffect)
    if (isThenable(returned)) {
      returned.then(
        (value) => this.settled(run, value),
        (error) => this.failed(run, error),
      )
      return this.owner.suspended()
    }
    if (!isAsyncIterable(returned)) throw notAStep(this.handler, returned)
    this.generator = returned[Symbol.asyncIterator]()
    this.pull(run)
  }

  /** Reads on in the generator. */
  pull(run: number): void {
    this.read().then(
      ({ done, value }) => {
        if (done) this.generator = undefined
        if (done && value === undefined) this.exhausted(run)
        else this.settled(run, value, !done)
      },
      (error) => {
        this.generator = undefined
        this.failed(run, error)
      },
    )
    this.owner.suspended()
  }

  /** Reads the generator, and whatever it takes for a result. */
  private async read(): Promise<{ readonly done: boolean; readonly value: unknown }> {
    const generator = this.generator!
    const { observer } = this
    const next = observer === undefined ? generator.next() : observer.run(() => generator.next())
    const { done, value } = await next
    return { done: done === true, value }
  }

  private closeGenerator(): Promise<unknown> | undefined {
    const { generator } = this
    this.generator = undefined
    return generator?.return === undefined ? undefined : closing(generator)
  }

  private execute(run: number, effect: HandlerEffect): void {
    this.scope ??= Scope.makeUnsafe()
    const observed = this.observer === undefined ? effect : this.observer.wrap(effect)
    const fiber = this.owner.fork(observed, this.scope)
    this.fiber = fiber
    // Fibers take turns on one scheduler: what ends one may be another's doing.
    fiber.addObserver((exit) => this.owner.asyncContext.runInAsyncScope(this.exited, this, run, exit))
    if (this.fiber !== undefined) this.owner.suspended()
  }

  private exited(run: number, exit: Exit.Exit<unknown, unknown>): void {
    this.fiber = undefined
    if (this.reason !== undefined) return
    if (this.scope?.state._tag === "Open") this.owner.scoped()
    if (exit._tag === "Success") this.settled(run, exit.value)
    else this.failed(run, Cause.squash(exit.cause), exit.cause)
  }

  private settled(run: number, value: unknown, more = false): void {
    try {
      if (!isStep(value)) throw notAStep(this.handler, value)
      this.returned(run, value, more)
    } catch (error) {
      // What a handler made up may throw when it is looked at.
      this.failed(run, error, error, more)
    }
  }

  private returned(run: number, step: Step, more: boolean): void {
    if (!more) this.left(step._tag === "Error" ? (step.cause ?? step.message) : undefined)
    this.owner.returned(run, step, more)
  }

  private exhausted(run: number): void {
    this.left(undefined)
    this.owner.exhausted(run)
  }

  private failed(run: number, error: unknown, cause: unknown = error, more = false): void {
    this.left(cause)
    this.owner.failed(run, error, cause, more)
  }

  private left(failure: unknown): void {
    this.observer?.end(failure)
    this.observer = undefined
  }
}

const closing = async (generator: AsyncIterator<Step, unknown>): Promise<void> => {
  await generator.return?.()
}
