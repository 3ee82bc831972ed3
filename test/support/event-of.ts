/** Picks events by their tag, and by their call where one is named. */
import type { ToolEvent } from "../../src/index.ts"

type Tagged<Tag extends ToolEvent["_tag"]> = Extract<ToolEvent, { readonly _tag: Tag }>

export const is =
  <Tag extends ToolEvent["_tag"]>(tag: Tag, callId?: string) =>
  (event: ToolEvent): event is Tagged<Tag> =>
    event._tag === tag && (callId === undefined || ("callId" in event && event.callId === callId))

/** `<call id> <tag>` of each event, for tests of an order across calls. */
export const trail = (events: ReadonlyArray<ToolEvent>): Array<string> =>
  events.map((event) => `${"callId" in event ? event.callId : event.actionId} ${event._tag}`)
