/** What has to be stored before something else is done, and what that is. */
import type { Call } from "../../pipeline/call/call.ts"
import type { Command } from "../../pipeline/call/command.ts"

/** Whether functions of the host's are called before and after each call. */
export interface CalledHooks {
  readonly before: boolean
  readonly after: boolean
}

/** Whether what follows from a state must not be done before it is stored: all but what is found out again. */
export const isUrgentState = (
  { state, at, passed, edited, action, resume }: Call,
  hooks: CalledHooks,
): boolean => {
  switch (state._tag) {
    case "Queued":
      return resume === undefined
    case "Preparing":
      return edited
    case "Running":
      return at > 0 || passed > 0 || edited || action !== undefined
    case "Judging":
      return hooks.after
    case "Ended":
      return false
    default:
      return true
  }
}

/** Whether it reaches out of the executor: to a handler, to a function of the host's, or to what rules are kept in. */
export const isOutward = ({ _tag }: Command, hooks: CalledHooks): boolean => {
  switch (_tag) {
    case "Run":
    case "RunFinal":
    case "Reply":
    case "Review":
    case "Ask":
    case "Remember":
      return true
    case "Prepare":
      return hooks.before
    case "Judge":
      return hooks.after
    default:
      return false
  }
}
