/** The JSON text of a value, at most as long as every store can hold. */
import type { DeniedEvent, ToolEvent } from "../model/event.ts"
import type { BackgroundTask } from "../tasks/background-tasks.ts"
import { messageOf } from "../text/message-of.ts"
import { plainEvent } from "./stored-event.ts"

/**
 * The maximum characters of one text. Postgres receives the text inside JSON, which may double it, and a character may take three
 * bytes; strings are limited to half a billion characters, and columns to a billion bytes.
 */
const longestText = 64_000_000

/** Serializes a value. Throws for a value that is not JSON, and for one that is too long. */
export const keptText = (value: unknown): string => withinBounds(JSON.stringify(value))

/** Throws for a text that is too long. */
export const withinBounds = (text: string): string => {
  if (text.length <= longestText) return text
  throw new RangeError(`It has ${text.length} characters of JSON, and a store keeps ${longestText}`)
}

/**
 * Serializes a task. A task that is not JSON, or is too long, is stored without its parameters and output and, if needed, without
 * its text.
 */
export const taskText = ({ cause: _, ...task }: BackgroundTask): string => {
  const bare = { ...task, params: undefined, editedParams: undefined, output: undefined }
  try {
    return keptText(task)
  } catch {
    try {
      return keptText(bare)
    } catch (error) {
      return JSON.stringify({ ...bare, content: `This cannot be kept: ${messageOf(error)}` })
    }
  }
}

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
