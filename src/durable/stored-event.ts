/** Events as a store keeps them. */
import type { ToolEvent } from "../pipeline/model/event.ts"

/** Takes the answer functions away: what is read later is data, and answered by its call's id. */
type Plain<Event> = Event extends unknown
  ? Omit<Event, "approve" | "deny" | "succeed" | "fail" | "cause">
  : never

/** An event as a store keeps it: plain JSON. Answers go by the id of its call. */
export type StoredEvent = Plain<ToolEvent>

/** What of an event is data. */
export const plainEvent = (event: ToolEvent): StoredEvent => {
  const {
    approve: _a,
    deny: _d,
    succeed: _s,
    fail: _f,
    cause: _c,
    ...data
  } = event as unknown as Record<string, unknown>
  return data as unknown as StoredEvent
}
