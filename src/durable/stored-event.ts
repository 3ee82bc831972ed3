/** Events as a store keeps them. */
import type { ToolEvent } from "../model/event.ts"
import { StoreError } from "./store-error.ts"

/** An event without its answer functions: a stored event is data, and is answered by the id of its call. */
type Plain<Event> = Event extends unknown
  ? Omit<Event, "approve" | "deny" | "succeed" | "fail" | "cause">
  : never

/** An event as a store keeps it: plain JSON. It is answered by the id of its call. */
export type StoredEvent = Plain<ToolEvent>

/** Reads the row of an event or a result. Throws a StoreError that names the row for a text that is not JSON. */
export const readEvent = (text: string, row: string): StoredEvent => {
  try {
    return JSON.parse(text) as StoredEvent
  } catch (error) {
    const advice = "The store was changed by something else: restore it from a backup."
    throw new StoreError(`${row} is no JSON, and cannot be read. ${advice}`, { cause: error })
  }
}

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
