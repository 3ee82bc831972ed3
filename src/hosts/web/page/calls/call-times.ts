/** How long a call took, or how long it has been at what it does. */
import type { CallRow } from "../../state/page-state.ts"
import { clock, duration } from "../times.ts"

/** What the call does, in words. */
export const stateOf = ({ status, limit }: CallRow): string => {
  if (status === "limited") return limit === undefined ? "at a limit" : `waits: ${limit}`
  if (status === "error") return "failed"
  return status === "held" ? "waiting" : status
}

/** When the call began what it does now. */
const since = ({ status, queuedAt, limitedAt, startedAt, spans }: CallRow): number => {
  if (status === "limited") return limitedAt ?? queuedAt
  const wait = status === "waiting" ? spans.findLast(({ to }) => to === undefined) : undefined
  return wait?.from ?? startedAt ?? queuedAt
}

/** `1.24 s` of a call that has ended, else `0:12` for how long it has been at what it does. Nothing of one that never ran. */
export const timeOf = (call: CallRow, now: number): string => {
  const { startedAt, endedAt } = call
  if (endedAt === undefined) return clock((now - since(call)) / 1000)
  return startedAt === undefined ? "" : duration(endedAt - startedAt)
}
