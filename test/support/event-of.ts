/** Picks events by their tag, and by their call where one is named. */
import { expect } from "vitest"
import type { ToolEvent } from "../../src/index.ts"

type Tagged<Tag extends ToolEvent["_tag"]> = Extract<ToolEvent, { readonly _tag: Tag }>

/** What every event has, whatever it tells: for those that are compared whole. */
export const stamp: { readonly seq: number; readonly at: number } = {
  seq: expect.any(Number),
  at: expect.any(Number),
}

export const is =
  <Tag extends ToolEvent["_tag"]>(tag: Tag, callId?: string) =>
  (event: ToolEvent): event is Tagged<Tag> =>
    event._tag === tag && (callId === undefined || ("callId" in event && event.callId === callId))

/** `<call id> <tag>` of each event, for tests of an order across calls. */
export const trail = (events: ReadonlyArray<ToolEvent>): Array<string> =>
  events.map((event) => `${"callId" in event ? event.callId : event.actionId} ${event._tag}`)
