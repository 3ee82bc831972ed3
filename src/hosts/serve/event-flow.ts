/**
 * Sends events to the client, no faster than it reads: the next event is taken from the executor when the pipe has room and,
 * with a window, when the client has acknowledged enough. Until then the executor's own limits apply.
 */

import type { DelegateEvent, TerminalEvent, ToolEvent } from "../../model/event.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { LineWriter } from "./line-writer.ts"
import { plainCause } from "./plain-cause.ts"

export interface EventFlowOptions {
  readonly executor: ToolExecutor
  readonly writer: LineWriter
  /** The maximum number of unacknowledged events. Default: no limit. */
  readonly window: number | undefined
  /** Answers effects that are not for the client. Returns whether it did. */
  readonly answer: (event: DelegateEvent) => boolean
}

const isEnd = (event: ToolEvent): event is TerminalEvent =>
  event._tag === "Completed" ||
  event._tag === "Error" ||
  event._tag === "Denied" ||
  event._tag === "Cancelled"

export class EventFlow {
  private readonly options: EventFlowOptions
  private window: number
  /** The numbers of sent events, in order; never more than the window. */
  private unacknowledged: Array<number> = []
  private onRoom: (() => void) | undefined
  /** Those that wait for the ends of calls with this id, in the order of the calls. */
  private readonly ends = new Map<string, Array<(event: TerminalEvent) => void>>()

  constructor(options: EventFlowOptions) {
    this.options = options
    this.window = options.window ?? Number.POSITIVE_INFINITY
  }

  /** Runs until the executor is shut down and everything was sent. */
  async run(): Promise<void> {
    const { executor, writer, answer } = this.options
    for await (const event of executor.events) {
      if (event._tag === "Delegate" && answer(event)) continue
      await this.hasRoom()
      await writer.room()
      this.tell(event)
    }
  }

  /** Records that the client has handled this event and all before it. */
  ack(seq: number): void {
    const next = this.unacknowledged.findIndex((told) => told > seq)
    this.unacknowledged = next < 0 ? [] : this.unacknowledged.slice(next)
    this.onRoom?.()
  }

  /** Removes the window, when nobody can acknowledge any more: from then on only the pipe limits. */
  openWindow(): void {
    this.window = Number.POSITIVE_INFINITY
    this.onRoom?.()
  }

  /** Resolves with the end of a call, once it was sent. Must be called before the call can end. */
  endOf(callId: string): Promise<TerminalEvent> {
    const waiting = this.ends.get(callId) ?? []
    this.ends.set(callId, waiting)
    return new Promise((resolve) => waiting.push(resolve))
  }

  private async hasRoom(): Promise<void> {
    while (this.unacknowledged.length >= this.window) {
      await new Promise<void>((resolve) => {
        this.onRoom = resolve
      })
      this.onRoom = undefined
    }
  }

  private tell(event: ToolEvent): void {
    const { writer } = this.options
    const { seq } = event
    if (this.window !== Number.POSITIVE_INFINITY) this.unacknowledged.push(seq)
    writer.send({ jsonrpc: "2.0", method: "event", params: { seq, event: plainCause(event) } })
    if (!isEnd(event)) return
    const waiting = this.ends.get(event.callId)
    // A refused duplicate came after the call that runs.
    const end = event._tag === "Error" && event.reason === "duplicate" ? waiting?.pop() : waiting?.shift()
    if (waiting?.length === 0) this.ends.delete(event.callId)
    end?.(event)
  }
}
