/** The time limit of a call's current state: the timer starts when the call waits, and stops when its state changes. */

import { toMillis } from "../../model/duration.ts"
import type { Settings } from "../../model/settings.ts"
import type { Call } from "../call/call.ts"
import type { EffectQuestion, Question } from "../call/state.ts"
import type { Engine } from "../engine.ts"
import { gateLimit, untilMark } from "../questions/gate-time.ts"
import { CallTimer } from "./call-timer.ts"

/** The settings that bound how long a call may stay in a state. */
export type Limits = Pick<
  Settings,
  | "delegates"
  | "callTimeout"
  | "backgroundAfter"
  | "taskTimeout"
  | "approvalTimeout"
  | "delegateTimeout"
  | "finallyTimeout"
>

/** Whether a running call becomes a background task at its time limit. `mayMove`: whether its tool may run in the background. */
const movesAt = ({ state, toolCall }: Call, limits: Limits, mayMove: boolean): boolean =>
  mayMove && !toolCall.background && state._tag === "Running" && limits.backgroundAfter < limits.callTimeout

/** The limit of the current state in milliseconds; `Infinity` for no limit. */
export const timeLimit = (call: Call, limits: Limits, mayMove: boolean): number => {
  const { state, toolCall } = call
  switch (state._tag) {
    case "Preparing":
    case "Running":
      if (movesAt(call, limits, mayMove)) return limits.backgroundAfter
      return toolCall.background ? limits.taskTimeout : limits.callTimeout
    case "Limited":
      return state.maxWait
    case "Asking":
      return questionLimit(state.question, limits)
    case "Stopping":
    case "Cleaning":
    case "Judging":
      return limits.finallyTimeout
    default:
      return Number.POSITIVE_INFINITY
  }
}

const questionLimit = (question: Question, limits: Limits): number => {
  if (question.kind === "delegate") return effectLimit(question, limits)
  return question.terms === undefined ? limits.approvalTimeout : gateLimit(question, limits.approvalTimeout)
}

/** How long the host has for this effect, in milliseconds. */
export const effectLimit = ({ timeout }: EffectQuestion, { delegateTimeout }: Limits): number =>
  timeout === undefined ? delegateTimeout : toMillis("timeout", timeout)

/**
 * Whether the call may become a background task by itself. A nested call may not: the handler that made it waits for its
 * result.
 */
export const mayMove = ({ tool, to }: Call): boolean => tool?.background === true && to.outer === undefined

/** Starts the timer of a call that waits. */
export const suspended = (engine: Engine, call: Call): void => {
  if (call.place === "asked") return
  const limit = limitOf(engine, call)
  if (limit !== Number.POSITIVE_INFINITY) timerOf(engine, call).start(call.state, limit)
  if (call.nested?.areWaiting === true) call.timer?.pause()
}

/** Calls `late` after this time, if the call is still in the same state. Does nothing if the state's own limit is shorter. */
export const afterWaiting = (engine: Engine, call: Call, millis: number, late: () => void): void => {
  const { state } = call
  const waits = state._tag === "Asking" || state._tag === "Cleaning"
  if (waits && limitOf(engine, call) > millis) timerOf(engine, call).expectWithin(state, millis, late)
}

/** Restarts the timer, because another limit holds from here on. */
export const restartTime = (engine: Engine, call: Call): void =>
  timerOf(engine, call).restart(call.state, limitOf(engine, call))

/**
 * The remaining milliseconds of the current state's limit; at a gate with a warning or an escalation, until the next of
 * these.
 */
export const limitOf = (engine: Engine, call: Call): number => {
  const { earlier, state } = call
  const isAsking = state._tag === "Asking"
  const waited = isAsking && call.asked === earlier?.asked ? earlier.waited : 0
  if (isAsking && state.question.kind === "approval" && state.question.terms !== undefined)
    return untilMark(state.question, engine.settings.approvalTimeout, waited)
  const limit = timeLimit(call, engine.settings, mayMove(call))
  return waited === 0 ? limit : Math.max(0, limit - waited)
}

/** Creates the timer when it is first needed: a call that waits without a limit has none. */
const timerOf = (engine: Engine, call: Call): CallTimer => {
  call.timer ??= new CallTimer(engine.deadlines, () => engine.timedOut(call), call.earlier?.timeLeft)
  return call.timer
}

/** Pauses the handler's time while it waits for its consumer. A finally handler's time runs on. */
export const blocked = (engine: Engine, call: Call): void => {
  const { state } = call
  if (state._tag === "Running") timerOf(engine, call).block(state, engine.settings.consumerTimeout)
  else suspended(engine, call)
}

/** Resumes the handler's time: the consumer has room again. */
export const unblocked = (engine: Engine, call: Call): void => {
  if (call.timer?.unblock() === true) suspended(engine, call)
}

/** Whether the call now has to move to the background instead of timing out. */
export const movesNow = (engine: Engine, call: Call): boolean => movesAt(call, engine.settings, mayMove(call))

/** Aborts the host function that the call waits for. */
export const abortFunction = (call: Call, reason: DOMException): void => {
  const { controller } = call
  call.controller = undefined
  controller?.abort(reason)
}

/** Aborts the function that answers the call's question: its answer is no longer needed. */
export const closeQuestion = (call: Call): void => {
  // Most questions have no function to abort, and creating the exception costs more than closing the question.
  if (call.controller === undefined) return
  abortFunction(call, new DOMException("Nobody waits for the answer any more", "AbortError"))
}
