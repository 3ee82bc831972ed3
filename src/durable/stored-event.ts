/** Events as a store keeps them. */
import type { ToolEvent } from "../pipeline/model/event.ts"

/** An event without its answer functions: a stored event is data, and is answered by the id of its call. */
type Plain<Event> = Event extends unknown
  ? Omit<Event, "approve" | "deny" | "succeed" | "fail" | "cause">
  : never

/** An event as a store keeps it: plain JSON. It is answered by the id of its call. */
export type StoredEvent = Plain<ToolEvent>

/** The data of an event. */
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
