/** Refuses invalid events of a host. */
import { got } from "../../model/got.ts"
import type { ExtensionEvent, SessionEvent } from "../session-events.ts"

const reasons: Readonly<Record<SessionEvent["reason"], true>> = {
  start: true,
  switch: true,
  branch: true,
  tree: true,
  shutdown: true,
  auto_compaction_start: true,
  auto_compaction_end: true,
  auto_retry_start: true,
  auto_retry_end: true,
  ttsr_triggered: true,
  todo_reminder: true,
}

/** Throws a TypeError for an event with neither a `type`, which can be any string, nor a known `reason`. */
export const expectEvent = (event: SessionEvent | ExtensionEvent): void => {
  if (typeof event !== "object" || event === null) {
    throw new TypeError(`Expected an event to be an object, ${got(event)}`)
  }
  if ("type" in event) {
    if (typeof event.type !== "string") {
      throw new TypeError(`Expected the \`type\` of an event to be a string, ${got(event.type)}`)
    }
  } else if (!Object.hasOwn(reasons, event.reason)) {
    throw new TypeError(
      `Expected an event to have a \`type\`, or a \`reason\` of a session event, ${got(event.reason)}`,
    )
  }
}
