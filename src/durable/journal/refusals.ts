/** Calls that a store refuses: they were enqueued in the wrong process, or their ids are in use. */
import { ForeignAgentsError, TakenIdsError } from "../store-error.ts"
import type { JournalEntry } from "./journal-entry.ts"

/** The error of a commit that stored nothing, and is tried again without the refused calls. */
export type Refusal = ForeignAgentsError | TakenIdsError

/** Whether a commit failed because the store refuses calls. */
export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof ForeignAgentsError || error instanceof TakenIdsError

const foreignReason = (agentId: string) =>
  `Another process runs the calls of the agent "${agentId}", until they have ended: enqueue them with \`enqueue\` of the durable executor, or under an \`agentId\` of this process's own`

const takenReason = (callId: string) =>
  `Call id "${callId}" is in use in this store. Use a new id for every call, or \`enqueue\` of the durable executor, which takes the same id for the same call.`

/** The ids of the refused calls, each with the reason. `open`: the calls that have not ended. */
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
