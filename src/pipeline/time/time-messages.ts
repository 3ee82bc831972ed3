/** The messages of calls that timed out. */
import { formatMillis } from "../../model/duration.ts"
import type { Call } from "../call/call.ts"
import type { EffectQuestion } from "../call/state.ts"
import { editorAdvice } from "../questions/editor-silence.ts"
import { effectLimit, type Limits, timeLimit } from "./call-time.ts"

/** The message of an effect that the host did not answer in time. */
export const unansweredMessage = (question: EffectQuestion, limits: Limits): string => {
  const { _tag } = question.effect
  return `The host did not answer ${_tag} within ${formatMillis(effectLimit(question, limits))}${editorAdvice(_tag, limits)}`
}

/** The message of a call that timed out in its current state: for the model or, during the cleanup, for `cleanupErrors`. */
export const timeoutMessage = (call: Call, limits: Limits): string => {
  const { state } = call
  const limit = formatMillis(timeLimit(call, limits, false))
  switch (state._tag) {
    case "Asking":
      return state.question.kind === "approval"
        ? `Denied: nobody decided within ${limit}`
        : unansweredMessage(state.question, limits)
    case "Stopping":
      return `did not stop within ${limit} and was left behind`
    case "Cleaning":
      return `did not end within ${limit}`
    default:
      return `Timed out after ${limit}`
  }
}

/** The message of a call whose consumer does not read its deltas. */
export const unreadMessage = (consumerTimeout: number): string =>
  `The consumer did not read what the call streams within ${formatMillis(consumerTimeout)}`
