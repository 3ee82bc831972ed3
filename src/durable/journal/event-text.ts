/** The text of an event in a store. */
import type { DeniedEvent, ToolEvent } from "../../model/event.ts"
import { messageOf } from "../../text/message-of.ts"
import { keptText } from "../kept-text.ts"
import { plainEvent } from "../stored-event.ts"

const withoutParams = ({ params: _, ...event }: DeniedEvent): DeniedEvent => event

/** Serializes an event. An event that is not JSON, or is too long, is stored with a message in its place. */
export const eventText = (event: ToolEvent): string => {
  try {
    return keptText(plainEvent(event))
  } catch (error) {
    // The reason for a denial is more important than the parameters.
    if (event._tag === "Denied" && "params" in event) return eventText(withoutParams(event))
    const { _tag, agentId, seq, at } = event
    const callId = "callId" in event ? { callId: event.callId } : {}
    const content = `This cannot be kept: ${messageOf(error)}`
    return JSON.stringify({ _tag, agentId, ...callId, seq, at, content })
  }
}
