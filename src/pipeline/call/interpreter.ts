/**
 * Runs the parts of one attempt, one after another. Plain steps never suspend; what suspends parks the pipeline's one
 * fiber, and promises, answers and timers drive `run` from there. `token` changes whenever the interpreter moves on or
 * is interrupted, so whatever answers late answers nobody.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { messageOf } from "../model/failure.ts"
import type { Resolution } from "../model/handler.ts"
import { type ToolOutput, toOutput } from "../model/output.ts"
import type { HandlerPart, PipelinePart } from "../model/pipeline.ts"
import { isStep, type Step, ToolError } from "../model/step.ts"
import { BlockedDelta, rejectedDelta } from "./blocked-delta.ts"
import { AttemptContext } from "./handler-context.ts"
import { abandon, isAsyncIterable, isThenable, notAStep } from "./handler-return.ts"
import type { Ending, HandlerObserver, InterpreterOwner } from "./interpreter-owner.ts"
import { type HandlerEffect, PipelineFiber } from "./pipeline-fiber.ts"

const completed: Ending = { _tag: "Completed" }
const ignore = () => undefined

export class Interpreter {
  owner: InterpreterOwner
  output: ToolOutput | undefined
  resolution: Resolution | undefined
  private readonly parts: ReadonlyArray<PipelinePart<unknown>>
  private readonly context: AttemptContext
  private index = 0
  private token = 0
  private state: "open" | "ended" | "interrupted" = "open"
  /** Why it was interrupted. */
  private reason: unknown
  private controller: AbortController | undefined
  private generator: AsyncIterator<Step, unknown> | undefined
  private observer: HandlerObserver | undefined
  /** Whether a question is being put, and whether it was answered before that returned. */
  private asking = false
  private answeredAtOnce = false
  private blockedDelta: BlockedDelta | undefined
  private fiber: PipelineFiber | undefined

  constructor(owner: InterpreterOwner, parts: ReadonlyArray<PipelinePart<unknown>>) {
    this.owner = owner
    this.parts = parts
    this.context = new AttemptContext(this)
  }

  /** Whether it was neither ended nor interrupted. */
  get isOpen(): boolean {
    return this.state === "open"
  }

  /** The part that is running or waiting. */
  get current(): string | undefined {
    return this.parts[this.index]?.name
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController()
      if (this.state === "interrupted") this.controller.abort(this.reason)
    }
    return this.controller.signal
  }

  /** Runs parts until one suspends or the last has ended. */
  run(): void {
    if (this.state !== "open") return
    const token = this.token
    for (; this.index < this.parts.length; this.index += 1) {
      const part = this.parts[this.index]!
      // The owner runs these, after all others.
      if (part.kind === "finally") continue
      if (part.kind === "resolve") {
        return this.finish({ _tag: "Staged", part, rest: this.parts.slice(this.index + 1) })
      }
      if (!this.owner.engine.stepBudget.take()) return this.yieldToEventLoop()
      if (part.kind === "approval") {
        if (!this.enterGate(part.label)) return
      } else {
        if (!this.owner.acquire(this)) return this.parkUnless(token)
        this.observer = this.owner.enter(part.name)
        if (!this.call(part)) return
        this.leave(undefined)
      }
    }
    this.finish(completed)
  }

  /** Passes the gate. */
  proceed(resolution: Resolution): void {
    this.resolution = resolution
    this.token += 1
    this.advance()
  }

  /** Goes on where `acquire` held it. */
  go(): void {
    this.token += 1
    if (this.generator !== undefined) this.pull()
    else this.run()
  }

  /** The host's answer to a delegate. */
  answer(output: ToolOutput | undefined): void {
    if (output !== undefined) this.output = output
    this.token += 1
    this.advance()
  }

  fail(message: string, cause?: unknown): void {
    this.token += 1
    this.finish({ _tag: "Failed", message, cause, thrown: false })
  }

  /**
   * Ends what runs. A handler's Effect is interrupted and `stopped` waits for its finalizers; a promise is told by the
   * signal, an async generator by `return`, and neither is waited for.
   */
  interrupt(reason: unknown, stopped: () => void): void {
    if (this.state !== "open") return stopped()
    this.token += 1
    this.state = "interrupted"
    this.reason = reason
    this.leave(reason)
    this.blockedDelta?.reject(reason)
    this.controller?.abort(reason)
    this.closeGenerator().catch(ignore)
    if (this.fiber === undefined) stopped()
    else this.fiber.interrupt(stopped)
  }

  stream(content: string, partial: unknown): Promise<void> {
    if (this.state === "interrupted") return rejectedDelta(this.reason)
    if (this.state === "ended") return rejectedDelta(new DOMException("The call has ended", "AbortError"))
    const room = this.owner.delta(String(content), partial) ?? this.roomToStep()
    if (room === undefined) return Promise.resolve()
    this.blockedDelta ??= new BlockedDelta(room, () => {
      this.blockedDelta = undefined
    })
    return this.blockedDelta.promise
  }

  private roomToStep(): Promise<void> | undefined {
    const { stepBudget } = this.owner.engine
    return stepBudget.take() ? undefined : new Promise((resolve) => stepBudget.wait(resolve))
  }

  /** Calls a handler. True where it is over, and the attempt goes on. */
  private call({ handler }: HandlerPart<unknown>): boolean {
    const token = this.token
    try {
      const returned = handler.call(this.context)
      // The handler may have cancelled its own call.
      if (token !== this.token) abandon(returned)
      else if (isStep(returned)) return this.apply(returned)
      else this.suspend(returned)
    } catch (error) {
      this.end(error)
    }
    return false
  }

  /** Applies one step. True where the attempt goes on at once. What a handler made up may throw here. */
  private apply(step: Step): boolean {
    switch (step._tag) {
      case "Continue":
        return true
      case "Output": {
        const output = toOutput(step.output)
        if (output === undefined) {
          this.end(
            new TypeError(
              `Handler \`${this.current}\` gave an output that is neither text nor content blocks`,
            ),
          )
          return false
        }
        this.output = output
        return true
      }
      case "Delta": {
        const token = this.token
        const room = this.owner.delta(String(step.content), step.partial)
        // Whoever was told may have cancelled the call.
        if (room === undefined || token !== this.token) return token === this.token
        this.park()
        room.then(() => {
          if (this.claim(token)) this.advance()
        })
        return false
      }
      case "Delegate": {
        const token = this.token
        this.asking = true
        this.owner.delegate(this, step.effect, step.timeout)
        return this.settleQuestion(token, false)
      }
      case "AwaitApproval":
        return this.enterGate(step.label)
      case "Error":
        this.finish({ _tag: "Failed", message: String(step.message), cause: step.cause, thrown: false })
        return false
    }
  }

  /** Puts the question of a gate. True where it is passed at once. */
  private enterGate(label: string | undefined): boolean {
    const token = this.token
    this.asking = true
    return this.settleQuestion(token, this.owner.atGate(this, label))
  }

  /** After a question was put: an answer that came meanwhile is acted on here, which keeps the stack flat. */
  private settleQuestion(token: number, passed: boolean): boolean {
    const answered = passed || this.answeredAtOnce
    this.asking = false
    this.answeredAtOnce = false
    if (answered) return this.state === "open"
    this.parkUnless(token)
    return false
  }

  /** Goes on after a step: with the generator that gave it, or with the next part. */
  private advance(): void {
    if (this.state !== "open") return
    if (this.asking) {
      this.answeredAtOnce = true
      return
    }
    if (this.generator !== undefined) return this.pull()
    this.leave(undefined)
    this.index += 1
    this.run()
  }

  private suspend(returned: unknown): void {
    if (Effect.isEffect(returned)) return this.execute(returned as HandlerEffect)
    this.park()
    if (isThenable(returned)) return this.settle(returned)
    if (!isAsyncIterable(returned)) throw notAStep(this.current, returned)
    this.generator = returned[Symbol.asyncIterator]()
    this.pull()
  }

  private settle(promise: PromiseLike<unknown>): void {
    const token = this.token
    promise.then(
      (value) => {
        if (this.claim(token)) this.settled(value)
      },
      (error) => {
        if (this.claim(token)) this.end(error)
      },
    )
  }

  /** An answer counts once, and only while it is waited for. */
  private claim(token: number): boolean {
    if (token !== this.token) return false
    this.token += 1
    return true
  }

  private settled(value: unknown): void {
    try {
      if (!isStep(value)) throw notAStep(this.current, value)
      if (!this.apply(value)) return
    } catch (error) {
      return this.end(error)
    }
    this.advance()
  }

  private pull(): void {
    if (!this.owner.engine.stepBudget.take()) return this.yieldToEventLoop()
    if (!this.owner.acquire(this)) return
    // The clock stood still if the last step was a question.
    this.owner.suspended()
    const token = this.token
    this.read().then(
      ({ done, value }) => {
        if (!this.claim(token)) return
        if (!done) return this.settled(value)
        this.generator = undefined
        if (value === undefined) this.advance()
        else this.settled(value)
      },
      (error) => {
        if (!this.claim(token)) return
        this.generator = undefined
        this.end(error)
      },
    )
  }

  /** Reads the generator, and whatever it takes for a result. */
  private async read(): Promise<{ readonly done: boolean; readonly value: unknown }> {
    const { done, value } = await this.generator!.next()
    return { done: done === true, value }
  }

  private async closeGenerator(): Promise<void> {
    const generator = this.generator
    this.generator = undefined
    await generator?.return?.()
  }

  private execute(effect: HandlerEffect): void {
    const token = this.token
    this.fiber ??= new PipelineFiber(this.owner.engine.fork)
    this.fiber.execute(this.observer === undefined ? effect : this.observer.wrap(effect), (exit) => {
      if (!this.claim(token)) return
      if (exit._tag === "Success") this.settled(exit.value)
      else this.end(Cause.squash(exit.cause), exit.cause)
    })
    if (this.fiber.isExecuting) this.owner.suspended()
  }

  /** Every pipeline that suspends has a fiber of its own, parked until something wakes it. */
  private park(): void {
    this.owner.suspended()
    this.fiber ??= new PipelineFiber(this.owner.engine.fork)
    this.fiber.park()
  }

  /** Parks, unless the wait ended before it began: an answer may come while the question is put. */
  private parkUnless(token: number): void {
    if (token === this.token) this.park()
  }

  /** Lets the event loop turn before it goes on. */
  private yieldToEventLoop(): void {
    this.park()
    const token = this.token
    this.owner.engine.stepBudget.wait(() => {
      if (token === this.token) this.go()
    })
  }

  private end(error: unknown, cause: unknown = error): void {
    this.finish({ _tag: "Failed", message: messageOf(error), cause, thrown: !(error instanceof ToolError) })
  }

  private finish(ending: Ending): void {
    if (this.state !== "open") return
    this.token += 1
    if (this.generator !== undefined) {
      // As `break` does: its `finally` runs first.
      const { token } = this
      const end = () => {
        if (this.claim(token)) this.finish(ending)
      }
      this.closeGenerator().then(end, end)
      return
    }
    this.state = "ended"
    this.leave(ending._tag === "Failed" ? (ending.cause ?? ending.message) : undefined)
    this.fiber?.end()
    this.owner.ended(this, ending)
  }

  private leave(failure: unknown): void {
    this.observer?.leave(failure)
    this.observer = undefined
  }
}
