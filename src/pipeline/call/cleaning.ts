/**
 * How a call ends: the finally handlers of its attempt one after another, then the end, or the same call once more with
 * edited parameters.
 */

import { outputFault, toOutput } from "../../output/output.ts"
import type { Outcome, Stopped } from "../model/outcome.ts"
import type { Step } from "../model/step.ts"
import type { Outbox } from "./command.ts"
import * as commands from "./command.ts"
import {
  type Answer,
  type CallRecord,
  type EffectQuestion,
  ended,
  judging,
  preparing,
  type StateOf,
  type Then,
} from "./state.ts"

/** Gives back the place among the background calls, or leaves the line for one. */
export const leavePlace = (record: CallRecord, out: Outbox): void => {
  if (record.place === "held" || record.place === "asked") out.push(commands.releasePlace)
  record.place = "none"
}

/** Begins the cleanup after an attempt: its finally handlers run one after another, and then what `then` says. */
export const clean = (record: CallRecord, then: Then, out: Outbox): void => {
  leavePlace(record, out)
  record.more = false
  record.scoped = false
  record.reply = undefined
  if (record.finals.length === 0) return conclude(record, then, out)
  cleanPart(record, 0, then, out)
}

/** Cleans up from this finally handler on; behind the last, what follows the cleanup. */
export const cleanPart = (record: CallRecord, part: number, then: Then, out: Outbox): void => {
  // Of the one before, which may have been a generator: an edited call runs again.
  record.more = false
  if (part === record.finals.length) return conclude(record, then, out)
  record.state = { _tag: "Cleaning", part, then, question: undefined }
  record.run += 1
  out.push(commands.runFinal)
}

const cleaningOf = ({ state }: CallRecord): StateOf<"Cleaning"> => state as StateOf<"Cleaning">

/** Goes on with the next finally handler, or, after the last, with what follows the cleanup. */
export const nextFinal = (record: CallRecord, out: Outbox): boolean => {
  const { part, then } = cleaningOf(record)
  cleanPart(record, part + 1, then, out)
  return true
}

/** Keeps the failure of a finally handler for the terminal event, and goes on with the next. */
export const finalFailed = (record: CallRecord, message: string, out: Outbox): boolean => {
  record.cleanupErrors ??= []
  record.cleanupErrors.push(`${record.finals[cleaningOf(record).part]!.name}: ${message}`)
  // A generator is left where it stands.
  if (record.more) out.push(commands.interrupt)
  return nextFinal(record, out)
}

/** A step of a finally handler: it may stream and ask, but not change the result. */
export const applyFinal = (record: CallRecord, step: Step, out: Outbox): boolean => {
  switch (step._tag) {
    case "Continue":
      return advanceFinal(record, out)
    case "Output":
      // It changes nothing, but for a mistake.
      if (toOutput(step.output) !== undefined) return advanceFinal(record, out)
      return finalFailed(record, `gave an output that ${outputFault(step.output)}`, out)
    case "Delta":
      out.push({ _tag: "Stream", content: step.content, partial: step.partial })
      return true
    case "Delegate": {
      const { effect, timeout } = step
      return askFinal(record, effect, timeout, false, out)
    }
    case "AwaitApproval":
      return finalFailed(record, "a finally handler cannot wait for an approval", out)
    case "Error":
      return finalFailed(record, String(step.message), out)
  }
}

/** Reads on in the generator of a finally handler; where it is none, the next handler runs. */
export const advanceFinal = (record: CallRecord, out: Outbox): boolean => {
  if (!record.more) return nextFinal(record, out)
  record.run += 1
  out.push(commands.runFinal)
  return true
}

/** A finally handler asks the host. `midway`: through its context, so that it goes on by itself. */
export const askFinal = (
  record: CallRecord,
  effect: EffectQuestion["effect"],
  timeout: EffectQuestion["timeout"],
  midway: boolean,
  out: Outbox,
): boolean => {
  const question: EffectQuestion = {
    kind: "delegate",
    id: ++record.asked,
    effect,
    timeout,
    midway,
    put: false,
  }
  record.state = { ...cleaningOf(record), question }
  out.push(commands.ask)
  return true
}

/** Takes the host's answer to a finally handler. False where it is to an older question. */
export const answerFinal = (record: CallRecord, id: number, answer: Answer, out: Outbox): boolean => {
  const state = cleaningOf(record)
  const { question } = state
  if (question?.id !== id) return false
  record.state = { ...state, question: undefined }
  if (question.midway) {
    record.reply = answer
    out.push(commands.reply)
    return true
  }
  return answer._tag === "Failure" ? finalFailed(record, answer.message, out) : advanceFinal(record, out)
}

/** Closes the question of the finally handler that runs, where it has one: nobody waits for the answer any more. */
export const closeFinalQuestion = (record: CallRecord, out: Outbox): void => {
  const state = cleaningOf(record)
  if (state.question === undefined) return
  // One that is yet to be asked has nobody to be told.
  if (state.question.put) out.push(commands.closeQuestion)
  record.state = { ...state, question: undefined }
}

const conclude = (record: CallRecord, then: Then, out: Outbox): void => {
  if (then._tag === "End") {
    record.outcome = then.outcome
    record.state = judging
    out.push(commands.judge)
    return
  }
  record.decided = record.passed
  record.passed = 0
  record.output = undefined
  record.memory = undefined
  record.resolution = undefined
  edit(record, then.params)
  prepare(record, out)
}

/** Replaces the call's parameters by those that the host gave. */
export const edit = (record: CallRecord, params: unknown): void => {
  record.call.params = params
  record.edited = true
}

/** Has the call's parameters checked and its pipeline composed. */
export const prepare = (record: CallRecord, out: Outbox): void => {
  record.state = preparing
  out.push(commands.prepare)
}

/** Ends a call of which nothing has to be cleaned up. */
export const end = (record: CallRecord, outcome: Outcome, out: Outbox): boolean => {
  leavePlace(record, out)
  record.outcome = outcome
  record.state = ended
  out.push(commands.tellEnd)
  return true
}

/** Ends a call whose parameters are being checked: the host's hook is told. */
export const endPreparing = (record: CallRecord, outcome: Stopped, out: Outbox): boolean => {
  out.push(commands.interrupt)
  return end(record, outcome, out)
}
