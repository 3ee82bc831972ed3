/**
 * The handlers of one call: run and read on one after another, told what they asked for, interrupted and closed. What each
 * gave goes back into the machine.
 */
import * as Effect from "effect/Effect"
import type { Fiber } from "effect/Fiber"
import type { Scope } from "effect/Scope"
import { resolveName } from "../../resolve/definition.ts"
import { messageOf } from "../../text/message-of.ts"
import { formatMillis } from "../model/duration.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { CallFilter, Hooks } from "../model/options.ts"
import { noBackground, type Stopped } from "../model/outcome.ts"
import type { HandlerPart } from "../model/pipeline.ts"
import { type DurationInput, isToolError, type Step } from "../model/step.ts"
import { type AdmissionRules, admit } from "./admission.ts"
import { Attempt, type AttemptOwner, type HandlerEffect } from "./attempt.ts"
import type { Command } from "./command.ts"
import { CallMachine } from "./machine.ts"
import type { CallRecord, CallState } from "./state.ts"
import { CallStream } from "./stream.ts"

const ignore = () => undefined

/** A call's attempts: at its pipeline, and at each of its finally handlers. */
export abstract class CallWork extends CallMachine implements AttemptOwner, AdmissionRules {
  stream: CallStream | undefined
  protected attempt: Attempt | undefined
  /** The `run` that was begun: each is begun once. */
  private begun = 0
  /** Why what runs is being ended, where somebody wanted to know before it is told. */
  private stopReason: DOMException | undefined

  /** Takes the action that this call of `resolve` means. False where none waits. */
  protected abstract claim(): boolean

  protected prepare(): void {
    const { record, tool, engine } = this
    if (record.state._tag !== "Preparing") return
    const { call } = record
    this.attempt = undefined
    if (tool === undefined) return this.refused(engine.unknownTool(call.agentId, call.name))
    if (call.background && !tool.background) return this.refused(noBackground(call.name))
    const admission = admit(call, tool, this)
    if (!(admission instanceof Promise)) return void this.receive(admission)
    this.suspended()
    void admission.then((admitted) => {
      this.controller = undefined
      this.receiveHere(admitted)
    })
  }

  get filters(): CallFilter | undefined {
    return this.engine.filters
  }

  get hooks(): Hooks {
    return this.engine.settings.hooks
  }

  get hookSignal(): AbortSignal {
    this.controller ??= new AbortController()
    return this.controller.signal
  }

  private refused(outcome: Stopped): void {
    this.receive({ _tag: "Refused", outcome })
  }

  protected run(command: Command): void {
    const { record } = this
    if (record.state._tag !== "Running" || this.begun === record.run) return
    if (!this.engine.budget.take()) return this.wait(command)
    this.begun = record.run
    if (record.call.name === resolveName && record.ties.resolving === undefined && this.claim()) return
    const attempt = this.newAttempt()
    if (attempt.isReading) return attempt.pull(record.run)
    const { handler } = record.parts[record.at] as HandlerPart<unknown>
    attempt.run(record.run, handler, this.span?.handler(handler.name))
  }

  protected runFinal(command: Command): void {
    const { record } = this
    if (record.state._tag !== "Cleaning" || this.begun === record.run) return
    if (!this.engine.budget.take()) return this.wait(command)
    this.begun = record.run
    if (this.attempt?.isReading === true) return this.attempt.pull(record.run)
    // Each has a signal of its own.
    this.attempt?.finish()
    this.attempt = undefined
    const { handler } = record.finals[record.state.part]!
    this.newAttempt().run(record.run, handler, this.span?.handler(handler.name))
  }

  private newAttempt(): Attempt {
    this.attempt ??= new Attempt(this)
    return this.attempt
  }

  /** Lets the event loop turn before it goes on. */
  private wait(command: Command): void {
    this.suspended()
    const { mailbox, budget } = this.engine
    budget.wait(() => {
      mailbox.send(this, command)
      mailbox.deliver()
    })
  }

  protected reply(): void {
    const { reply } = this.record
    this.record.reply = undefined
    if (reply !== undefined) this.attempt?.reply(reply)
  }

  protected tellDelta(content: string, partial: unknown): void {
    const { run, state } = this.record
    if (state._tag !== "Running" && state._tag !== "Cleaning") return
    let room: Promise<void> | undefined
    try {
      room = this.streamed(String(content), partial)
    } catch (error) {
      return this.failed(run, error, error, this.record.more)
    }
    if (room === undefined) return void this.receive({ _tag: "Flowed", run })
    this.blocked()
    void room.then(() => {
      this.unblocked()
      this.receiveHere({ _tag: "Flowed", run })
    })
  }

  /** Ends what runs: the attempt, or what a cancel found before there was one. */
  protected interrupt(): void {
    const { record } = this
    // Where nothing runs nobody sees the reason, and to make one takes longer than the rest of a denied call.
    if (this.attempt === undefined && this.controller === undefined) {
      if (record.state._tag === "Stopping") this.stopped(ignore)
      return
    }
    const reason = this.stopReason ?? reasonOf(record, this.engine.settings.finallyTimeout)
    this.stopReason = undefined
    this.abortFunction(reason)
    const { run } = record
    if (record.state._tag !== "Stopping") this.attempt?.end(reason, ignore)
    else this.stopped(() => this.attempt?.end(reason, () => this.receive({ _tag: "Stopped", run })))
  }

  /**
   * Ends what runs, and nothing else: the call goes on in another process, from what was written of it. Resolves when the
   * finalizers of what ran have run.
   */
  abandon(): Promise<void> {
    const reason = new DOMException("The process ends: the call goes on with the next", "AbortError")
    this.isLeft = true
    this.abortFunction(reason)
    this.timer?.stop()
    const { attempt } = this
    const ended =
      attempt === undefined ? Promise.resolve() : new Promise<void>((resolve) => attempt.end(reason, resolve))
    this.span?.leave()
    return ended
  }

  protected close(): void {
    const { record } = this
    if (record.state._tag !== "Stopping") return
    const { run } = record
    this.stopped(() => this.attempt?.close(() => this.receive({ _tag: "Stopped", run })))
  }

  private stopped(end: () => void): void {
    if (this.attempt === undefined) this.receive({ _tag: "Stopped", run: this.record.run })
    else {
      end()
      if (this.record.state._tag === "Stopping") this.suspended()
    }
  }

  // --- What the handlers gave

  fork(effect: HandlerEffect, scope?: Scope): Fiber<unknown, unknown> {
    // What a finally handler acquires is its own.
    if (this.record.state._tag === "Cleaning") return this.engine.fork(Effect.scoped(effect))
    return this.engine.fork(effect, scope)
  }

  scoped(): void {
    this.record.scoped = true
  }

  unclosed(error: unknown): void {
    this.record.cleanupErrors ??= []
    this.record.cleanupErrors.push(`Scope: ${messageOf(error)}`)
  }

  returned(run: number, step: Step, more: boolean): void {
    try {
      this.apply({ _tag: "Returned", run, step, more })
    } catch (error) {
      // A step that a handler made up may throw when it is read.
      this.failed(run, error)
    }
    this.engine.mailbox.deliver(this)
  }

  exhausted(run: number): void {
    this.receiveHere({ _tag: "Exhausted", run })
  }

  failed(run: number, error: unknown, cause: unknown = error, more = false): void {
    const own = isToolError(error)
    const reason = own ? error.reason : "failed"
    this.receiveHere({ _tag: "Failed", run, message: messageOf(error), cause, thrown: !own, more, reason })
  }

  asked(effect: HostEffect, timeout: DurationInput | undefined): boolean {
    return this.receive({ _tag: "Asked", run: this.record.run, effect, timeout })
  }

  get refusal(): DOMException | undefined {
    if (this.record.state._tag !== "Stopping") return undefined
    this.stopReason ??= reasonOf(this.record, this.engine.settings.finallyTimeout)
    return this.stopReason
  }

  streamed(content: string, partial: unknown): Promise<void> | undefined {
    this.stream ??= new CallStream(this.record.call)
    this.stream.transcript.append(content)
    return this.sink.delta(this.stream, content, partial)
  }
}

/** Why what runs is ended, as its signal says it. */
const reasonOf = (record: CallRecord, finallyTimeout: number): DOMException => {
  const { state } = record
  if (state._tag !== "Stopping" && state._tag !== "Ended") {
    const late = `The finally handler did not end within ${formatMillis(finallyTimeout)}`
    return new DOMException(late, "TimeoutError")
  }
  const outcome = state._tag === "Stopping" ? endOf(state.then) : record.outcome
  if (outcome === undefined || outcome._tag === "Completed") {
    return new DOMException("Runs again with edited parameters", "AbortError")
  }
  const isLate = outcome._tag === "Error" && outcome.reason === "timeout"
  return new DOMException(outcome.message, isLate ? "TimeoutError" : "AbortError")
}

const endOf = (then: Extract<CallState, { readonly _tag: "Stopping" }>["then"]) =>
  then._tag === "End" ? then.outcome : undefined
