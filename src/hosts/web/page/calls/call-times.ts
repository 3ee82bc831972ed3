/** How long a call took, or has been in its current state. */
import type { CallRow } from "../../state/page-state.ts"
import { clock, duration } from "../times.ts"

/** The state of the call, in words. */
export const stateOf = ({ status, limit }: CallRow): string => {
  if (status === "limited") return limit === undefined ? "at a limit" : `waits: ${limit}`
  if (status === "error") return "failed"
  return status === "held" ? "waiting" : status
}

/** When the current state of the call began. */
const since = ({ status, queuedAt, limitedAt, startedAt, spans }: CallRow): number => {
  if (status === "limited") return limitedAt ?? queuedAt
  const wait = status === "waiting" ? spans.findLast(({ to }) => to === undefined) : undefined
  return wait?.from ?? startedAt ?? queuedAt
}

/** `1.24 s` for a call that has ended, else `0:12` for the time in its current state. Empty for a call that never ran. */
export const timeOf = (call: CallRow, now: number): string => {
  const { startedAt, endedAt } = call
  if (endedAt === undefined) return clock((now - since(call)) / 1000)
  return startedAt === undefined ? "" : duration(endedAt - startedAt)
}
