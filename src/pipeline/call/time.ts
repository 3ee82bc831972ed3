/** The time that a call may stay where it is: set when it waits, and over when it moves. */
import type { Engine } from "../engine.ts"
import { toMillis } from "../model/duration.ts"
import type { Settings } from "../model/settings.ts"
import type { Call } from "./call.ts"
import { CallTimer } from "./call-timer.ts"
import type { EffectQuestion, Question } from "./state.ts"

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

/** Whether a call that runs becomes a background task once its time is up: `mayMove` where its tool may run there. */
const movesAt = ({ state, toolCall }: Call, limits: Limits, mayMove: boolean): boolean =>
  mayMove && !toolCall.background && state._tag === "Running" && limits.backgroundAfter < limits.callTimeout

/** Milliseconds; `Infinity` for no limit. */
export const timeLimit = (call: Call, limits: Limits, mayMove: boolean): number => {
  const { state, toolCall } = call
  switch (state._tag) {
    case "Preparing":
    case "Running":
      if (movesAt(call, limits, mayMove)) return limits.backgroundAfter
      return toolCall.background ? limits.taskTimeout : limits.callTimeout
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

const questionLimit = (question: Question, limits: Limits): number =>
  question.kind === "approval" ? limits.approvalTimeout : effectLimit(question, limits)

const effectLimit = ({ timeout }: EffectQuestion, { delegateTimeout }: Limits): number =>
  timeout === undefined ? delegateTimeout : toMillis("timeout", timeout)

/** Whether the call may become a background task. */
export const mayMove = ({ tool }: Call): boolean => tool?.background === true

/** The call waits: from here on the time that its state allows may run out. */
export const suspended = (engine: Engine, call: Call): void => {
  if (call.place === "asked") return
  const limit = limitOf(engine, call)
  if (limit !== Number.POSITIVE_INFINITY) timerOf(engine, call).start(call.state, limit)
}

/** Does something after this time, where the call's state is still the same and its own time is not over before. */
export const afterWaiting = (engine: Engine, call: Call, millis: number, late: () => void): void => {
  const { state } = call
  if (state._tag === "Asking" && limitOf(engine, call) > millis)
    timerOf(engine, call).expectWithin(state, millis, late)
}

/** Another limit holds from here on. */
export const restartTime = (engine: Engine, call: Call): void =>
  timerOf(engine, call).restart(call.state, limitOf(engine, call))

const limitOf = (engine: Engine, call: Call): number => {
  const limit = timeLimit(call, engine.settings, mayMove(call))
  const { earlier } = call
  if (earlier === undefined || call.state._tag !== "Asking" || call.asked !== 1) return limit
  return Math.max(0, limit - earlier.waited)
}

/** Made when time first runs: a restored call that waits for ever needs none. */
const timerOf = (engine: Engine, call: Call): CallTimer => {
  call.timer ??= new CallTimer(engine.deadlines, () => engine.timedOut(call), call.earlier?.timeLeft)
  return call.timer
}

/** The handler waits for its consumer: its own time stands still. A finally handler's does not. */
export const blocked = (engine: Engine, call: Call): void => {
  const { state } = call
  if (state._tag === "Running") timerOf(engine, call).block(state, engine.settings.consumerTimeout)
  else suspended(engine, call)
}

/** The consumer has room again. */
export const unblocked = (engine: Engine, call: Call): void => {
  if (call.timer?.unblock() === true) suspended(engine, call)
}

/** Whether its time in the foreground is up, after which it runs on in the background. */
export const movesNow = (engine: Engine, call: Call): boolean => movesAt(call, engine.settings, mayMove(call))

/** Tells the host's function that is asked that nobody waits for its answer. */
export const abortFunction = (call: Call, reason: DOMException): void => {
  const { controller } = call
  call.controller = undefined
  controller?.abort(reason)
}
