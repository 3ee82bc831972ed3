/**
 * Runs the handlers of a call one after another, and passes the result of each to the state machine. Each Effect runs in its own
 * fiber, so that an interruption can wait for its finalizers. A promise is cancelled through its signal, and an async generator
 * through `return`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Fiber } from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { EffectHandler } from "../../model/handler.ts"
import type { HandlerPart } from "../../model/pipeline.ts"
import { isStep, isToolError, type Step } from "../../model/step.ts"
import { isThenable, leaveAlone } from "../../model/thenable.ts"
import { resolveName } from "../../resolve/definition.ts"
import { messageOf } from "../../text/message-of.ts"
import { claimAction } from "../actions/resolving.ts"
import { AttemptContext } from "../context/handler-context.ts"
import { isAsyncIterable, isOwnEffect, notAStep } from "../context/handler-return.ts"
import type { MidwayQuestions } from "../context/midway.ts"
import { stopReason, streamed } from "../context/streaming.ts"
import type { Engine, HandlerEffect } from "../engine.ts"
import { afterNested, endsNested } from "../nested/nesting.ts"
import { abortFunction, blocked, suspended, unblocked } from "../time/call-time.ts"
import { Attempt, type Call } from "./call.ts"
import type { Command } from "./command.ts"

const ignore = () => undefined

// --- Starting a handler

/** Runs the handler at `at`, or reads the next step of its generator. */
export const runPart = (engine: Engine, call: Call, command: Command): void => {
  if (call.state._tag !== "Running") return
  if (call.begun === call.run) return goesOn(engine, call)
  if (!begins(engine, call, command)) return
  if (call.toolCall.name === resolveName && call.links.resolving === undefined && claimAction(engine, call))
    return
  startHandler(engine, call, (call.parts[call.at] as HandlerPart<unknown>).handler)
}

/** The handler already runs: its nested calls had released its place, and now it has a place again. */
const goesOn = (engine: Engine, call: Call): void => {
  call.nested?.release()
  suspended(engine, call)
}

/** Runs the next finally handler, or reads the next step of its generator. */
export const runFinal = (engine: Engine, call: Call, command: Command): void => {
  const { state, attempt } = call
  if (state._tag !== "Cleaning" || !begins(engine, call, command)) return
  if (attempt !== undefined && attempt.generator === undefined) {
    // Each finally handler has its own attempt, and so its own signal.
    finish(engine, call, attempt)
    call.attempt = undefined
  }
  startHandler(engine, call, call.finals[state.part]!.handler)
}

/** False if this `run` was started already, or if it has to wait: for the event loop to turn, or for the journal. */
const begins = (engine: Engine, call: Call, command: Command): boolean => {
  if (call.begun === call.run) return false
  if (call.attempts > 1 && engine.journal?.holdsBack(call, again(engine, call, command)) === true)
    return false
  if (engine.budget.take()) {
    call.begun = call.run
    return true
  }
  suspended(engine, call)
  engine.budget.wait(again(engine, call, command))
  return false
}

const again = (engine: Engine, call: Call, command: Command) => () => {
  engine.mailbox.sender = call
  engine.mailbox.push(command)
  engine.mailbox.deliver()
}

const startHandler = (engine: Engine, call: Call, handler: EffectHandler<unknown>): void => {
  let { attempt } = call
  if (attempt === undefined) {
    attempt = new Attempt()
    attempt.context = new AttemptContext(engine, call, attempt)
    call.attempt = attempt
  }
  const { run } = call
  if (attempt.generator !== undefined) return pull(engine, call, attempt, run)
  const trace = call.span?.handler(handler.name)
  attempt.trace = trace
  attempt.handler = handler
  try {
    const context = attempt.context!
    const returned = trace === undefined ? handler.call(context) : trace.run(() => handler.call(context))
    // The handler has cancelled its own call, so its return value is not read.
    if (attempt.reason !== undefined) leaveAlone(returned)
    else if (isStep(returned)) gave(engine, call, attempt, run, returned, false)
    else wait(engine, call, attempt, run, returned)
  } catch (error) {
    failed(engine, call, attempt, run, error)
  }
}

// --- Waiting for a promise, a generator or an Effect

const wait = (engine: Engine, call: Call, attempt: Attempt, run: number, returned: unknown): void => {
  if (isOwnEffect(attempt.handler, returned))
    return runEffect(engine, call, attempt, run, returned as HandlerEffect)
  if (isThenable(returned)) {
    returned.then(
      (value) => settled(engine, call, attempt, run, value),
      (error) => failed(engine, call, attempt, run, error),
    )
    return suspended(engine, call)
  }
  if (!isAsyncIterable(returned)) throw notAStep(attempt.handler, returned)
  attempt.generator = returned[Symbol.asyncIterator]()
  pull(engine, call, attempt, run)
}

/** Reads the next step of the generator. */
const pull = (engine: Engine, call: Call, attempt: Attempt, run: number): void => {
  read(attempt).then(
    ({ done, value }) => {
      if (done) attempt.generator = undefined
      if (done && value === undefined) {
        const exhausted = () => {
          attempt.handlerEnded(undefined)
          if (attempt.questions !== undefined) endQuestions(call, attempt.questions, run)
          engine.receiveHere(call, { _tag: "Exhausted", run })
        }
        if (call.nested === undefined || !endsNested(engine, call, call.nested, exhausted)) exhausted()
      } else settled(engine, call, attempt, run, value, !done)
    },
    (error) => {
      attempt.generator = undefined
      failed(engine, call, attempt, run, error)
    },
  )
  suspended(engine, call)
}

/** Reads once. The generator may be plain JavaScript, so `done` may be missing. */
const read = async (attempt: Attempt): Promise<{ readonly done: boolean; readonly value: unknown }> => {
  const generator = attempt.generator!
  const { trace } = attempt
  const next = trace === undefined ? generator.next() : trace.run(() => generator.next())
  const { done, value } = await next
  return { done: done === true, value }
}

const runEffect = (
  engine: Engine,
  call: Call,
  attempt: Attempt,
  run: number,
  effect: HandlerEffect,
): void => {
  attempt.scope ??= Scope.makeUnsafe()
  const traced = attempt.trace === undefined ? effect : attempt.trace.wrap(effect)
  const fiber = fork(engine, call, traced, attempt.scope)
  attempt.fiber = fiber
  const exited = (exit: Exit.Exit<unknown, unknown>) => {
    attempt.fiber = undefined
    if (attempt.reason !== undefined) return
    if (attempt.scope?.state._tag === "Open") call.scoped = true
    if (exit._tag === "Success") settled(engine, call, attempt, run, exit.value)
    else failed(engine, call, attempt, run, Cause.squash(exit.cause), exit.cause)
  }
  // All fibers share one scheduler, so another call's async context may be active when this fiber exits.
  fiber.addObserver((exit) => call.origin.runInAsyncScope(exited, undefined, exit))
  if (attempt.fiber !== undefined) suspended(engine, call)
}

/** A finally handler releases its resources when it ends. Resources of other handlers live until the attempt ends. */
const fork = (
  engine: Engine,
  call: Call,
  effect: HandlerEffect,
  scope?: Scope.Scope,
): Fiber<unknown, unknown> =>
  call.state._tag === "Cleaning" ? engine.fork(Effect.scoped(effect)) : engine.fork(effect, scope)

// --- The result of a handler

const settled = (
  engine: Engine,
  call: Call,
  attempt: Attempt,
  run: number,
  value: unknown,
  more = false,
): void => {
  try {
    if (!isStep(value)) throw notAStep(attempt.handler, value)
    gave(engine, call, attempt, run, value, more)
  } catch (error) {
    // A getter or proxy in the handler's value may throw when the value is inspected.
    failed(engine, call, attempt, run, error, error, more)
  }
}

/** Ends what a handler has asked its host and not waited for: questions of later handlers would queue behind it for ever. */
const endQuestions = (call: Call, questions: MidwayQuestions, run: number): void => {
  if (run !== call.run) return
  const { reply } = call
  call.reply = undefined
  questions.goesOn(reply)
}

const gave = (engine: Engine, call: Call, attempt: Attempt, run: number, step: Step, more: boolean): void => {
  if (!more && call.nested !== undefined) {
    const again = () => gave(engine, call, attempt, run, step, more)
    if (endsNested(engine, call, call.nested, again)) return
  }
  if (attempt.questions !== undefined) endQuestions(call, attempt.questions, run)
  if (!more && attempt.trace !== undefined)
    attempt.handlerEnded(step._tag === "Error" ? (step.cause ?? step.message) : undefined)
  try {
    engine.apply(call, { _tag: "Returned", run, step, more })
  } catch (error) {
    // A getter in a hand-made step may throw when the step is read.
    return toldFailed(engine, call, run, error)
  }
  engine.mailbox.deliver(call)
}

const failed = (
  engine: Engine,
  call: Call,
  attempt: Attempt,
  run: number,
  error: unknown,
  cause: unknown = error,
  more = false,
): void => {
  if (call.nested !== undefined) {
    const again = () => failed(engine, call, attempt, run, error, cause, more)
    if (endsNested(engine, call, call.nested, again)) return
  }
  attempt.handlerEnded(cause)
  toldFailed(engine, call, run, error, cause, more)
}

const toldFailed = (
  engine: Engine,
  call: Call,
  run: number,
  error: unknown,
  cause: unknown = error,
  more = false,
): void => {
  const isOwn = isToolError(error)
  const reason = isOwn ? error.reason : "failed"
  const message = messageOf(error)
  const questions = call.attempt?.questions
  if (questions !== undefined) endQuestions(call, questions, run)
  engine.receiveHere(call, { _tag: "Failed", run, message, cause, thrown: !isOwn, more, reason })
}

/** Streams the text of a Delta step. The handler continues once the consumer has room. */
export const streamStep = (engine: Engine, call: Call, content: string, partial: unknown): void => {
  const { run, state, more } = call
  if (state._tag !== "Running" && state._tag !== "Cleaning") return
  let room: Promise<void> | undefined
  try {
    room = streamed(call, String(content), partial)
  } catch (error) {
    return toldFailed(engine, call, run, error, error, more)
  }
  if (room === undefined) return void engine.receive(call, { _tag: "Flowed", run })
  blocked(engine, call)
  void room.then(() => {
    unblocked(engine, call)
    engine.receiveHere(call, { _tag: "Flowed", run })
  })
}

// --- The end of an attempt

/** Ends the attempt or, before the attempt exists, aborts the hook that the call waits for. */
export const interrupt = (engine: Engine, call: Call): void => {
  const { attempt, run, controller } = call
  const stopped = () => engine.receive(call, { _tag: "Stopped", run })
  if (attempt === undefined && controller === undefined) {
    // Nobody would see an abort reason here, and creating one takes longer than the rest of a denied call.
    if (call.state._tag === "Stopping") stopped()
    return
  }
  const reason = attempt?.refusal ?? stopReason(call, engine.settings.finallyTimeout)
  if (attempt !== undefined) attempt.refusal = undefined
  abortFunction(call, reason)
  const { nested } = call
  if (nested !== undefined) call.called = nested.made
  if (call.state._tag !== "Stopping") {
    if (attempt !== undefined) end(engine, call, attempt, reason, ignore)
    if (nested !== undefined) afterNested(engine, call, nested, ignore)
  } else if (attempt === undefined) stopped()
  else if (nested?.isOpen !== true) {
    end(engine, call, attempt, reason, stopped)
    if (call.state._tag === "Stopping") suspended(engine, call)
  } else {
    // The finally handlers of nested calls come before this call's, and have their own time limit.
    end(engine, call, attempt, reason, () => nested.onceOver(stopped))
    afterNested(engine, call, nested, () => {
      if (call.state._tag === "Stopping") suspended(engine, call)
    })
  }
}

/** Closes the attempt's generator, then releases its resources, and waits for both. */
export const close = (engine: Engine, call: Call): void => {
  if (call.state._tag !== "Stopping") return
  const { attempt, run } = call
  const stopped = () => engine.receive(call, { _tag: "Stopped", run })
  if (attempt === undefined) return void stopped()
  const closing = attempt.closeGenerator()
  const closeAll = () => closeScope(engine, call, attempt, Exit.void, stopped)
  if (closing === undefined) closeAll()
  else closing.then(closeAll, closeAll)
  if (call.state._tag === "Stopping") suspended(engine, call)
}

/**
 * Aborts the running handler without ending the call: another process continues the call from its stored state. Resolves when
 * the finalizers of the handler have run.
 */
export const abandon = (engine: Engine, call: Call): Promise<void> => {
  const { attempt } = call
  const reason = new DOMException("The process ends: the call continues in the next one", "AbortError")
  call.isLeft = true
  abortFunction(call, reason)
  call.timer?.stop()
  const ended =
    attempt === undefined
      ? Promise.resolve()
      : new Promise<void>((resolve) => end(engine, call, attempt, reason, resolve))
  call.span?.leave()
  return ended
}

/** Finishes an attempt whose last handler has ended: later deltas and questions are rejected. */
export const finish = (engine: Engine, call: Call, attempt: Attempt): void => {
  attempt.isOver = true
  if (attempt.scope !== undefined) closeScope(engine, call, attempt, Exit.void, ignore)
  attempt.questions?.close(new DOMException("The call has ended", "AbortError"))
}

/** Aborts an attempt. Calls `stopped` when an Effect's finalizers have run; promises and generators are not waited for. */
const end = (engine: Engine, call: Call, attempt: Attempt, reason: unknown, stopped: () => unknown): void => {
  attempt.abort(reason)
  call.nested?.reject(reason)
  attempt.closeGenerator()?.catch(ignore)
  const { fiber } = attempt
  const interrupted = () => closeScope(engine, call, attempt, Exit.interrupt(), stopped)
  if (fiber === undefined) return interrupted()
  fiber.addObserver(interrupted)
  fiber.interruptUnsafe()
}

const closeScope = (
  engine: Engine,
  call: Call,
  attempt: Attempt,
  exit: Exit.Exit<unknown, unknown>,
  closed: () => unknown,
): void => {
  const { scope } = attempt
  attempt.scope = undefined
  const closing = scope && Scope.closeUnsafe(scope, exit)
  if (closing === undefined) return void closed()
  fork(engine, call, closing).addObserver((over) => {
    if (over._tag === "Failure") {
      call.cleanupErrors ??= []
      call.cleanupErrors.push(`Scope: ${messageOf(Cause.squash(over.cause))}`)
    }
    closed()
  })
}
