/** The messages of calls that timed out. */
import { formatMillis } from "../../model/duration.ts"
import type { Call } from "../call/call.ts"
import { editorAdvice } from "../questions/editor-silence.ts"
import { type Limits, timeLimit } from "./call-time.ts"

/** The message of a call that timed out in its current state: for the model or, during the cleanup, for `cleanupErrors`. */
export const timeoutMessage = (call: Call, limits: Limits): string => {
  const { state } = call
  const limit = formatMillis(timeLimit(call, limits, false))
  switch (state._tag) {
    case "Asking":
      return state.question.kind === "approval"
        ? `Denied: nobody decided within ${limit}`
        : `The host did not answer ${state.question.effect._tag} within ${limit}${editorAdvice(state.question.effect._tag, limits)}`
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
