/** Decides which states must be stored before a call acts, and which commands are acts. */
import type { Call } from "../../pipeline/call/call.ts"
import type { Command } from "../../pipeline/call/command.ts"

/** Whether the host has hooks: before each call, and after it. */
export interface CalledHooks {
  readonly before: boolean
  readonly after: boolean
}

/** Whether a state must be stored before the call acts on it. False if a restart would reach the same state again. */
export const isUrgentState = (
  { state, at, passed, edited, action, resume }: Call,
  hooks: CalledHooks,
): boolean => {
  switch (state._tag) {
    case "Queued":
      return resume === undefined
    case "Preparing":
    case "Limited":
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

/** Whether a command reaches beyond the executor: to a handler, to a function of the host, or to the stored rules. */
export const isOutward = ({ _tag }: Command, hooks: CalledHooks): boolean => {
  switch (_tag) {
    case "Run":
    case "RunFinal":
    case "Reply":
    case "Review":
    case "Ask":
    case "Escalate":
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
