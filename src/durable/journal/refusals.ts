/** Calls that a store takes from no process but another one: they were enqueued in the wrong one, or under an id that is in use. */
import { ForeignAgentsError, TakenIdsError } from "../store-error.ts"
import type { JournalEntry } from "./journal-entry.ts"

/** What a commit fails with of which nothing is stored, and that is tried again without what was refused. */
export type Refusal = ForeignAgentsError | TakenIdsError

/** Whether a commit has failed so. */
export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof ForeignAgentsError || error instanceof TakenIdsError

const foreignReason = (agentId: string) =>
  `Another process runs the calls of the agent "${agentId}", until they have ended: enqueue them with \`enqueue\` of the durable executor, or under an \`agentId\` of this process's own`

const takenReason = (callId: string) =>
  `Call id "${callId}" is in use in this store. Use a new id for every call, or \`enqueue\` of the durable executor, which takes the same id for the same call.`

/** The ids of the calls that are refused, and why. `open`: those that have not ended. */
export const refusedCalls = (
  refusal: Refusal,
  open: Iterable<JournalEntry>,
): ReadonlyArray<readonly [callId: string, reason: string]> => {
  if (refusal instanceof TakenIdsError) return refusal.callIds.map((callId) => [callId, takenReason(callId)])
  const agentIds = new Set(refusal.agentIds)
  return [...open].flatMap(({ callId, agentId }) =>
    agentIds.has(agentId) ? [[callId, foreignReason(agentId)] as const] : [],
  )
}
