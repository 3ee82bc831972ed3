/** Which calls the list shows, and in which order: newest first, nested calls below their outer call. */
import type { CallRow, CallStatus } from "../../state/page-state.ts"

/** The conditions for listing a call; empty texts match any call. */
export interface CallFilter {
  readonly agent: string
  readonly tool: string
  readonly state: string
  /** Searched in the tool, the argument, the agent and the id, ignoring case. */
  readonly text: string
}

/** A call in the list. `depth`: how many listed calls contain it. */
export interface ListedCall {
  readonly call: CallRow
  readonly depth: number
}

export const noFilter: CallFilter = { agent: "", tool: "", state: "", text: "" }

const isAt =
  (...statuses: ReadonlyArray<CallStatus>) =>
  ({ status }: CallRow): boolean =>
    statuses.includes(status)

/** The states to choose from, in words. */
export const states: ReadonlyMap<string, (call: CallRow) => boolean> = new Map([
  ["not ended", ({ endedAt }) => endedAt === undefined],
  ["running", isAt("running")],
  ["waiting", isAt("waiting", "held")],
  ["at a limit", isAt("limited")],
  ["queued", isAt("queued")],
  ["complete", isAt("complete")],
  ["failed", isAt("error")],
  ["denied", isAt("denied")],
  ["cancelled", isAt("cancelled")],
  ["in the background", ({ background }) => background],
])

const fits = ({ agent, tool, state, text }: CallFilter): ((call: CallRow) => boolean) => {
  const isInState = states.get(state)
  const wanted = text.trim().toLowerCase()
  return (call) => {
    const { agentId, name, title, callId } = call
    if ((agent !== "" && agentId !== agent) || (tool !== "" && name !== tool)) return false
    if (isInState?.(call) === false) return false
    return wanted === "" || [name, title, agentId, callId].some((part) => part.toLowerCase().includes(wanted))
  }
}

/** The first `max` calls of the list, and how many there are. `calls`: in the order of enqueueing. */
export const listCalls = (
  calls: Iterable<CallRow>,
  filter: CallFilter,
  max: number,
): { readonly shown: ReadonlyArray<ListedCall>; readonly count: number } => {
  const isListed = fits(filter)
  /** By call ids, which can be reused: the latest one before a nested call is its outer call. */
  const latest = new Map<string, CallRow>()
  const roots: Array<CallRow> = []
  const nested = new Map<CallRow, Array<CallRow>>()
  let count = 0
  for (const call of calls) {
    if (!isListed(call)) continue
    count += 1
    const outer = call.parentId === undefined ? undefined : latest.get(call.parentId)
    const siblings = outer === undefined ? roots : (nested.get(outer) ?? [])
    siblings.push(call)
    if (outer !== undefined) nested.set(outer, siblings)
    latest.set(call.callId, call)
  }
  const shown: Array<ListedCall> = []
  const left = roots.map((call) => ({ call, depth: 0 }))
  for (let next = left.pop(); next !== undefined && shown.length < max; next = left.pop()) {
    shown.push(next)
    const { call, depth } = next
    for (const inner of (nested.get(call) ?? []).toReversed()) left.push({ call: inner, depth: depth + 1 })
  }
  return { shown, count }
}
