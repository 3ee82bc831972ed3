/** Passes the events of one call to its caller's function. */

import { type ToolEvent, unattended } from "../../model/event.ts"
import { expectFunction } from "../../model/got.ts"
import { isThenable } from "../../model/thenable.ts"
import { messageOf } from "../../text/message-of.ts"
import { type DeltaSource, deltaEvent, type EventSink } from "./event-sink.ts"
import type { EventStamps } from "./event-stamps.ts"

const ignore = () => undefined

/** The sink for `onEvent` of `run`, which may return a promise to slow the stream down. */
export class CallbackSink implements EventSink {
  readonly answers: boolean
  readonly sequence = 0
  private readonly onEvent: ((event: ToolEvent) => unknown) | undefined
  private readonly stamps: EventStamps

  constructor(onEvent: ((event: ToolEvent) => unknown) | undefined, stamps: EventStamps) {
    expectFunction("onEvent", onEvent)
    this.onEvent = onEvent ?? undefined
    this.stamps = stamps
    this.answers = this.onEvent !== undefined
  }

  push(event: ToolEvent): void {
    this.call(event)
  }

  isUnread(): boolean {
    return false
  }

  delta(source: DeltaSource, content: string, partial: unknown): Promise<void> | undefined {
    return this.call(deltaEvent(source, content, partial))
  }

  /** Calls the function. If it throws, a question in the event is answered as failed or denied. Returns the function's promise, if any. */
  private call(event: ToolEvent): Promise<void> | undefined {
    const { onEvent, stamps } = this
    const { journal } = stamps
    if (onEvent === undefined && journal === undefined) {
      if (stamps.isWatched) stamps.stamp(event)
      return undefined
    }
    stamps.stamp(event)
    if (journal === undefined) return this.give(event)
    let given: { readonly room: Promise<void> | undefined } | undefined
    let resolve: ((room: Promise<void> | undefined) => void) | undefined
    journal.told(event, () => {
      given = { room: this.give(event) }
      resolve?.(given.room)
    })
    if (given !== undefined) return given.room
    return new Promise((waits) => {
      resolve = waits
    })
  }

  private give(event: ToolEvent): Promise<void> | undefined {
    if (this.onEvent === undefined) return undefined
    try {
      const returned = this.onEvent(event)
      if (!isThenable(returned)) return undefined
      return Promise.resolve(returned).then(ignore, (error) => answerWith(event, error))
    } catch (error) {
      answerWith(event, error)
      return undefined
    }
  }
}

/** Answers the event's question after the function threw, because nobody else will. An earlier answer stays. */
const answerWith = (event: ToolEvent, error: unknown): void => {
  if (event._tag === "AwaitingApproval") event.deny(messageOf(error), unattended)
  else if (event._tag === "Delegate") event.fail(messageOf(error))
}
