/** An event as a store keeps it. */
import type { ToolEvent } from "../../pipeline/model/event.ts"
import { messageOf } from "../../pipeline/model/failure.ts"
import { plainEvent } from "../event-log.ts"

/** JSON of it; of one that is no JSON, what is. */
export const eventText = (event: ToolEvent): string => {
  try {
    return JSON.stringify(plainEvent(event))
  } catch (error) {
    const { _tag, agentId, seq, at } = event
    const callId = "callId" in event ? { callId: event.callId } : {}
    const content = `This is no JSON: ${messageOf(error)}`
    return JSON.stringify({ _tag, agentId, ...callId, seq, at, content })
  }
}
