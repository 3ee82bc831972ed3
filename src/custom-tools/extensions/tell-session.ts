/** Emits session events to tools that keep state. */
import { messageOf } from "../../text/message-of.ts"
import { contextOf } from "../contexts.ts"
import { loggerOf } from "../file-logger.ts"
import type { CustomToolHost } from "../host.ts"
import type { LoadedCustomTool } from "../loaded-tool.ts"
import { runIsolated } from "../loading/isolation.ts"
import type { ExtensionEvent, SessionEvent } from "../session-events.ts"
import { expectEvent, toSessionEvent } from "./session-translation.ts"
import { listenerTimeout, settleWithin } from "./settle-within.ts"

/**
 * Awaits the `onSession` of each tool, in order. An error, or taking more than ten seconds, is only logged as a warning.
 * Events of pi without a reason for `onSession` are not emitted. Rejects with a TypeError for an invalid event.
 */
export const tellSession = async (
  tools: Iterable<Pick<LoadedCustomTool, "tool" | "resolvedPath">>,
  event: SessionEvent | ExtensionEvent,
  host: CustomToolHost = {},
): Promise<void> => {
  expectEvent(event)
  const told = "type" in event ? toSessionEvent(event) : event
  if (told === undefined) return
  const context = contextOf(host, undefined, host.cwd ?? process.cwd())
  for (const { tool, resolvedPath } of tools) {
    if (typeof tool.onSession !== "function") continue
    try {
      await settleWithin(listenerTimeout, () =>
        runIsolated(resolvedPath, () => tool.onSession?.(told, context), loggerOf(host)),
      )
    } catch (error) {
      const text = `onSession of ${tool.name} failed at ${told.reason}: ${messageOf(error)}`
      loggerOf(host).warn(text, { path: resolvedPath })
    }
  }
}
