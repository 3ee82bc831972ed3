/** Calls that a store refuses: they were enqueued in the wrong process, or their ids are in use. */
import type { RefusedError } from "../store-error.ts"
import type { JournalEntry } from "./journal-entry.ts"

const foreignReason = (agentId: string) =>
  `Another process runs the calls of the agent "${agentId}", until they have ended: enqueue them with \`enqueue\` of the durable executor, or under an \`agentId\` of this process's own`

const takenReason = (callId: string) =>
  `Call id "${callId}" is in use in this store. Use a new id for every call, or \`enqueue\` of the durable executor, which takes the same id for the same call.`

/** The ids of the refused calls, with the reasons. `open`: the calls that have not ended. */
export const refusedCalls = (
  { agentIds, callIds }: RefusedError,
  open: Iterable<JournalEntry>,
): ReadonlyMap<string, string> => {
  const foreign = [...open].filter(({ agentId }) => agentIds.has(agentId))
  return new Map([
    ...callIds.map((callId) => [callId, takenReason(callId)] as const),
    ...foreign.map(({ callId, agentId }) => [callId, foreignReason(agentId)] as const),
  ])
}
