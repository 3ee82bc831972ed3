/**
 * Runs the handlers of a call one after another, in whatever shape they come, and tells the call what each gave. An Effect runs
 * in a fiber of its own, so that an interruption reaches it and can wait for its finalizers; a promise is told by its signal, an
 * async generator by `return`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Fiber } from "effect/Fiber"
import * as Scope from "effect/Scope"
import { resolveName } from "../../resolve/definition.ts"
import { messageOf } from "../../text/message-of.ts"
import type { Engine, HandlerEffect } from "../engine.ts"
import type { EffectHandler } from "../model/handler.ts"
import type { HandlerPart } from "../model/pipeline.ts"
import { isStep, isToolError, type Step } from "../model/step.ts"
import { isThenable, leaveAlone } from "../model/thenable.ts"
import { Attempt, type Call } from "./call.ts"
import type { Command } from "./command.ts"
import { AttemptContext } from "./handler-context.ts"
import { isAsyncIterable, isOwnEffect, notAStep } from "./handler-return.ts"
import { claimAction } from "./resolving.ts"
import { stopReason, streamed } from "./streaming.ts"
import { abortFunction, blocked, suspended, unblocked } from "./time.ts"

const ignore = () => undefined

// --- Beginning

/** Runs the part at `at`, or reads on in its generator. */
export const runPart = (engine: Engine, call: Call, command: Command): void => {
  if (call.state._tag !== "Running" || !begins(engine, call, command)) return
  if (call.toolCall.name === resolveName && call.links.resolving === undefined && claimAction(engine, call))
    return
  runHandler(engine, call, (call.parts[call.at] as HandlerPart<unknown>).handler)
}

/** The same for the finally handler that is next. */
export const runFinal = (engine: Engine, call: Call, command: Command): void => {
  const { state, attempt } = call
  if (state._tag !== "Cleaning" || !begins(engine, call, command)) return
  if (attempt !== undefined && attempt.generator === undefined) {
    // Each has an attempt of its own, and with it a signal.
    finish(engine, call, attempt)
    call.attempt = undefined
  }
  runHandler(engine, call, call.finals[state.part]!.handler)
}

/** False where this `run` was begun already, and where the event loop has to turn first. */
const begins = (engine: Engine, call: Call, command: Command): boolean => {
  if (call.begun === call.run) return false
  if (engine.budget.take()) {
    call.begun = call.run
    return true
  }
  suspended(engine, call)
  engine.budget.wait(() => {
    engine.mailbox.sender = call
    engine.mailbox.push(command)
    engine.mailbox.deliver()
  })
  return false
}

const runHandler = (engine: Engine, call: Call, handler: EffectHandler<unknown>): void => {
  const attempt = attemptOf(engine, call)
  const { run } = call
  if (attempt.generator !== undefined) return pull(engine, call, attempt, run)
  const trace = call.span?.handler(handler.name)
  attempt.trace = trace
  attempt.handler = handler
  try {
    const context = attempt.context!
    const returned = trace === undefined ? handler.call(context) : trace.run(() => handler.call(context))
    // It has cancelled its own call: nobody reads what it gave.
    if (attempt.reason !== undefined) leaveAlone(returned)
    else if (isStep(returned)) gave(engine, call, attempt, run, returned, false)
    else wait(engine, call, attempt, run, returned)
  } catch (error) {
    failed(engine, call, attempt, run, error)
  }
}

const attemptOf = (engine: Engine, call: Call): Attempt => {
  if (call.attempt !== undefined) return call.attempt
  const attempt = new Attempt()
  attempt.context = new AttemptContext(engine, call, attempt)
  call.attempt = attempt
  return attempt
}

// --- What a handler gave that takes time

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

/** Reads on in the generator. */
const pull = (engine: Engine, call: Call, attempt: Attempt, run: number): void => {
  read(attempt).then(
    ({ done, value }) => {
      if (done) attempt.generator = undefined
      if (done && value === undefined) {
        attempt.left(undefined)
        engine.receiveHere(call, { _tag: "Exhausted", run })
      } else settled(engine, call, attempt, run, value, !done)
    },
    (error) => {
      attempt.generator = undefined
      failed(engine, call, attempt, run, error)
    },
  )
  suspended(engine, call)
}

/** Takes whatever the generator gives for a result. */
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
  // Fibers take turns on one scheduler: what ends one may be another's doing.
  fiber.addObserver((exit) => call.origin.runInAsyncScope(exited, undefined, exit))
  if (attempt.fiber !== undefined) suspended(engine, call)
}

/** What a finally handler acquires ends with that handler; what others acquire is the scope's. */
const fork = (
  engine: Engine,
  call: Call,
  effect: HandlerEffect,
  scope?: Scope.Scope,
): Fiber<unknown, unknown> =>
  call.state._tag === "Cleaning" ? engine.fork(Effect.scoped(effect)) : engine.fork(effect, scope)

// --- What it gave in the end

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
    // What a handler made up may throw when it is looked at.
    failed(engine, call, attempt, run, error, error, more)
  }
}

const gave = (engine: Engine, call: Call, attempt: Attempt, run: number, step: Step, more: boolean): void => {
  if (!more && attempt.trace !== undefined)
    attempt.left(step._tag === "Error" ? (step.cause ?? step.message) : undefined)
  try {
    engine.apply(call, { _tag: "Returned", run, step, more })
  } catch (error) {
    // A step that a handler made up may throw when it is read.
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
  attempt.left(cause)
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
  engine.receiveHere(call, { _tag: "Failed", run, message, cause, thrown: !isOwn, more, reason })
}

/** Streams a step's text. The handler goes on once its consumer has room. */
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

/** Ends what runs: the attempt, or the host's function that is asked before there is one. */
export const interrupt = (engine: Engine, call: Call): void => {
  const { attempt, run, controller } = call
  const stopped = () => engine.receive(call, { _tag: "Stopped", run })
  if (attempt === undefined && controller === undefined) {
    // To make a reason takes longer than the rest of a denied call, and nobody would see it.
    if (call.state._tag === "Stopping") stopped()
    return
  }
  const reason = attempt?.refusal ?? stopReason(call, engine.settings.finallyTimeout)
  if (attempt !== undefined) attempt.refusal = undefined
  abortFunction(call, reason)
  if (call.state._tag !== "Stopping") {
    if (attempt !== undefined) end(engine, call, attempt, reason, ignore)
  } else if (attempt === undefined) stopped()
  else {
    end(engine, call, attempt, reason, stopped)
    if (call.state._tag === "Stopping") suspended(engine, call)
  }
}

/** Ends in order what an attempt left open: its generator, then what was acquired. Both are waited for. */
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
 * Ends what runs, and nothing else: the call goes on in another process, from what was written of it. Resolves when the
 * finalizers of what ran have run.
 */
export const abandon = (engine: Engine, call: Call): Promise<void> => {
  const { attempt } = call
  const reason = new DOMException("The process ends: the call goes on with the next", "AbortError")
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

/** The last handler of an attempt has ended: what is streamed later is refused. */
export const finish = (engine: Engine, call: Call, attempt: Attempt): void => {
  attempt.isOver = true
  if (attempt.scope !== undefined) closeScope(engine, call, attempt, Exit.void, ignore)
  attempt.questions?.close(new DOMException("The call has ended", "AbortError"))
}

/** `stopped` is called when an Effect's finalizers have run; nothing else is waited for. */
const end = (engine: Engine, call: Call, attempt: Attempt, reason: unknown, stopped: () => unknown): void => {
  attempt.abort(reason)
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
