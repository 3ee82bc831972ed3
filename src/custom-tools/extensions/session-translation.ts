/** Translates session events between oh-my-pi (`reason`) and pi (`type`). Pure. */

import { got } from "../../model/got.ts"
import type { ExtensionEvent, SessionEvent } from "../session-events.ts"

/**
 * The extension events for a session event: several if versions use different names, older names first. An extension gets
 * only the first one that it listens for.
 */
export const toExtensionEvents = (event: SessionEvent): ReadonlyArray<ExtensionEvent> => {
  switch (event.reason) {
    case "start":
      return [{ type: "session_start", reason: "startup" }]
    case "switch":
      return [
        { type: "session_switch", reason: "resume", ...previousOf(event) },
        { type: "session_start", reason: "resume", ...previousOf(event) },
      ]
    case "branch":
      return [
        { type: "session_branch", ...previousOf(event) },
        { type: "session_fork", ...previousOf(event) },
        { type: "session_start", reason: "fork", ...previousOf(event) },
      ]
    case "tree":
      return [{ type: "session_tree" }]
    case "shutdown":
      return [{ type: "session_shutdown", reason: "quit" }]
    case "auto_compaction_start":
      return [{ type: "auto_compaction_start", reason: event.trigger, action: event.action }]
    default: {
      const { reason, ...fields } = event
      return [{ type: reason, ...fields }]
    }
  }
}

/** The session event for an extension event; undefined if there is no such reason. */
export const toSessionEvent = (event: ExtensionEvent): SessionEvent | undefined => {
  switch (event.type) {
    case "session_start":
      if (event.reason === "fork") return { reason: "branch", ...previousOf(event) }
      if (event.reason === "new" || event.reason === "resume")
        return { reason: "switch", ...previousOf(event) }
      return { reason: "start" }
    case "session_switch":
      return { reason: "switch", ...previousOf(event) }
    case "session_branch":
    case "session_fork":
      return { reason: "branch", ...previousOf(event) }
    case "session_tree":
      return { reason: "tree", ...previousOf(event) }
    case "session_shutdown":
      // A replacement by another session is reported by the `session_start` that follows.
      return isReplacement(event.reason) ? undefined : { reason: "shutdown" }
    case "auto_compaction_start": {
      const { type, reason: trigger, ...fields } = event
      return { reason: type, trigger, ...fields } as SessionEvent
    }
    case "auto_compaction_end":
    case "auto_retry_start":
    case "auto_retry_end":
    case "ttsr_triggered":
    case "todo_reminder": {
      const { type, ...fields } = event
      return { ...fields, reason: type } as SessionEvent
    }
    default:
      return undefined
  }
}

const isReplacement = (reason: unknown): boolean =>
  reason === "new" || reason === "resume" || reason === "fork"

const previousOf = (event: SessionEvent | ExtensionEvent): { readonly previousSessionFile?: string } => {
  const { previousSessionFile } = event as { readonly previousSessionFile?: unknown }
  return typeof previousSessionFile === "string" ? { previousSessionFile } : {}
}

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
