/**
 * The end of an attempt: its finally handlers run one after another, and then the call ends or restarts with edited parameters.
 */

import type { Outcome, Stopped } from "../../model/outcome.ts"
import type { Step } from "../../model/step.ts"
import { outputFault, toOutput } from "../../output/output.ts"
import type { Call } from "./call.ts"
import type { Outbox } from "./command.ts"
import * as commands from "./command.ts"
import {
  type Answer,
  type EffectQuestion,
  ended,
  judging,
  preparing,
  type StateOf,
  type Then,
} from "./state.ts"

/** Releases the call's place in the background pool, or leaves the queue for a place. */
export const leavePlace = (call: Call, out: Outbox): void => {
  if (call.place === "held" || call.place === "asked") out.push(commands.releasePlace)
  call.place = "none"
}

/** Begins the cleanup after an attempt: the finally handlers run one after another, and then `then` follows. */
export const clean = (call: Call, then: Then, out: Outbox): void => {
  leavePlace(call, out)
  call.more = false
  call.scoped = false
  call.reply = undefined
  if (call.finals.length === 0) return conclude(call, then, out)
  cleanPart(call, 0, then, out)
}

/** Runs this finally handler; after the last one, concludes the attempt with `then`. */
export const cleanPart = (call: Call, part: number, then: Then, out: Outbox): void => {
  // The previous finally handler may have been a generator, and a restarted call must not continue it.
  call.more = false
  if (part === call.finals.length) return conclude(call, then, out)
  call.state = { _tag: "Cleaning", part, then, question: undefined }
  call.attempts = 1
  call.run += 1
  out.push(commands.runFinal)
}

const cleaningOf = ({ state }: Call): StateOf<"Cleaning"> => state as StateOf<"Cleaning">

/** Continues with the next finally handler or, after the last one, with the conclusion. */
export const nextFinal = (call: Call, out: Outbox): boolean => {
  const { part, then } = cleaningOf(call)
  cleanPart(call, part + 1, then, out)
  return true
}

/** Records the failure of a finally handler for the terminal event, and continues with the next one. */
export const finalFailed = (call: Call, message: string, out: Outbox): boolean => {
  call.cleanupErrors ??= []
  call.cleanupErrors.push(`${call.finals[cleaningOf(call).part]!.name}: ${message}`)
  // The failed generator is interrupted, not read to its end.
  if (call.more) out.push(commands.interrupt)
  return nextFinal(call, out)
}

/** A step of a finally handler: it may stream and ask, but not change the result. */
export const applyFinal = (call: Call, step: Step, out: Outbox): boolean => {
  switch (step._tag) {
    case "Continue":
      return advanceFinal(call, out)
    case "Output":
      // The output is ignored, but an invalid output is reported.
      if (toOutput(step.output) !== undefined) return advanceFinal(call, out)
      return finalFailed(call, `gave an output that ${outputFault(step.output)}`, out)
    case "Delta":
      out.push({ _tag: "Stream", content: step.content, partial: step.partial })
      return true
    case "Delegate": {
      const { effect, timeout } = step
      return askFinal(call, effect, timeout, false, out)
    }
    case "AwaitApproval":
      return finalFailed(call, "a finally handler cannot wait for an approval", out)
    case "Error":
      return finalFailed(call, String(step.message), out)
  }
}

/** Reads the next step of the finally handler's generator. If the handler is not a generator, the next handler runs. */
export const advanceFinal = (call: Call, out: Outbox): boolean => {
  if (!call.more) return nextFinal(call, out)
  call.run += 1
  out.push(commands.runFinal)
  return true
}

/** Asks the host for a finally handler. `midway`: the handler asked with `context.delegate`, and keeps running. */
export const askFinal = (
  call: Call,
  effect: EffectQuestion["effect"],
  timeout: EffectQuestion["timeout"],
  midway: boolean,
  out: Outbox,
): boolean => {
  const question: EffectQuestion = {
    kind: "delegate",
    id: ++call.asked,
    effect,
    timeout,
    midway,
    isAsked: false,
  }
  call.state = { ...cleaningOf(call), question }
  out.push(commands.ask)
  return true
}

/** Applies the host's answer to a finally handler's question. Returns false for an answer to an older question. */
export const answerFinal = (call: Call, id: number, answer: Answer, out: Outbox): boolean => {
  const state = cleaningOf(call)
  const { question } = state
  if (question?.id !== id) return false
  call.state = { ...state, question: undefined }
  if (question.midway) {
    call.reply = answer
    out.push(commands.reply)
    return true
  }
  return answer._tag === "Failure" ? finalFailed(call, answer.message, out) : advanceFinal(call, out)
}

/** Closes the open question of the running finally handler, if any: its answer is no longer needed. */
export const closeFinalQuestion = (call: Call, out: Outbox): void => {
  const state = cleaningOf(call)
  if (state.question === undefined) return
  // A question that was not asked yet has no function to abort.
  if (state.question.isAsked) out.push(commands.closeQuestion)
  call.state = { ...state, question: undefined }
}

const conclude = (call: Call, then: Then, out: Outbox): void => {
  if (then._tag === "End") {
    call.outcome = then.outcome
    call.state = judging
    out.push(commands.judge)
    return
  }
  call.decided = call.passed
  call.passed = 0
  call.output = undefined
  call.memory = undefined
  call.resolution = undefined
  call.attempts = 0
  edit(call, then.params)
  prepare(call, out)
}

/** Replaces the call's parameters by the host's. */
export const edit = (call: Call, params: unknown): void => {
  call.toolCall.params = params
  call.edited = true
}

/** Starts validating the call's parameters and composing its pipeline. */
export const prepare = (call: Call, out: Outbox): void => {
  call.state = preparing
  call.attempts += 1
  out.push(commands.prepare)
}

/** Ends a call that needs no cleanup. */
export const end = (call: Call, outcome: Outcome, out: Outbox): boolean => {
  leavePlace(call, out)
  call.outcome = outcome
  call.state = ended
  out.push(commands.tellEnd)
  return true
}

/** Ends a call whose parameters are being validated, and aborts the `beforeCall` hook. */
export const endPreparing = (call: Call, outcome: Stopped, out: Outbox): boolean => {
  out.push(commands.interrupt)
  return end(call, outcome, out)
}
