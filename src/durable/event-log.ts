/** The events of a store, from any place on: what was told before, and then what is told. */
import type { ToolEvent } from "../pipeline/model/event.ts"
import { expectOptions, expectSignal, expectText, got } from "../pipeline/model/got.ts"
import { whenAborted } from "../pipeline/model/when-aborted.ts"
import { type CallStore, unlessClosed } from "./store.ts"
import { plainEvent, type StoredEvent } from "./stored-event.ts"

/** Which events are read. */
export interface EventsOptions {
  /** The `seq` of the last event that was read: what came after it is told. Default: all that is kept. */
  readonly after?: number
  /** Only this agent's. */
  readonly agentId?: string
  /** Ends the reading. */
  readonly signal?: AbortSignal
}

/** Throws a TypeError for what is no place among events or questions, such as a cursor that was not read as a number. */
export const expectPlace = (after: number | undefined): void => {
  if (after === undefined || Number.isInteger(after)) return
  throw new TypeError(`Expected \`after\` to be the \`seq\` of what was read last, ${got(after)}`)
}

/** Throws a TypeError for what says nothing of which events are read, such as a bare cursor. */
export const expectReading = (options: EventsOptions): void => {
  expectOptions("events", options, ["after", "agentId", "signal"])
  expectText("agentId", options.agentId)
  expectSignal(options.signal)
}

/** How many events are read at once. */
export const pageSize = 500

/** Events that wait for a reader, before it reads the store again. */
const mostWaiting = 2000

/** Where events are told as they come. */
interface EventSource {
  listen(listener: (event: ToolEvent) => void): () => void
}

/** A buffer between what is told and its reader. One that is full is emptied, and read again from the store. */
class LiveEvents {
  private events: Array<StoredEvent> = []
  private wake: (() => void) | undefined
  isCut = false

  add(event: ToolEvent, agentId: string | undefined): void {
    if (agentId !== undefined && event.agentId !== agentId) return
    if (this.events.length >= mostWaiting) {
      this.events = []
      this.isCut = true
    }
    this.events.push(plainEvent(event))
    this.wake?.()
  }

  take(): Array<StoredEvent> {
    const { events } = this
    this.events = []
    this.isCut = false
    return events
  }

  /** Resolves once there is one, and when it is ended. */
  async come(): Promise<void> {
    if (this.events.length > 0) return
    await new Promise<void>((resolve) => {
      this.wake = () => {
        this.wake = undefined
        resolve()
      }
    })
  }

  /** Nobody waits for more. */
  end(): void {
    this.wake?.()
  }
}

/** Reads the events of a store, and goes on with those that are told here, deltas too. Ends when the store is closed. */
export async function* readEvents(
  store: Pick<CallStore, "events">,
  source: EventSource,
  closed: AbortSignal,
  { after = 0, agentId, signal }: EventsOptions,
): AsyncGenerator<StoredEvent, undefined, undefined> {
  expectPlace(after)
  const live = new LiveEvents()
  const stop = source.listen((event) => live.add(event, agentId))
  const isOver = () => signal?.aborted === true || closed.aborted
  const ends = [closed, ...(signal ? [signal] : [])]
  const releases = ends.map((end) => whenAborted(end, () => live.end()))
  let last = after
  try {
    for (let catchesUp = true; !isOver(); ) {
      if (catchesUp) {
        const page = await store.events(last, agentId)
        for (const event of page) {
          last = event.seq
          yield event
          if (isOver()) return
        }
        catchesUp = page.length === pageSize
        continue
      }
      await live.come()
      catchesUp = live.isCut
      for (const event of catchesUp ? [] : live.take()) {
        if (event.seq <= last) continue
        last = event.seq
        yield event
        if (isOver()) return
      }
      if (catchesUp) live.take()
    }
  } finally {
    stop()
    for (const release of releases) release()
  }
}

/** Reads the events of a store, and goes on with those that any process stores. Ends when the store is closed. */
export async function* followEvents(
  store: CallStore,
  { after = 0, agentId, signal }: EventsOptions,
): AsyncGenerator<StoredEvent, undefined, undefined> {
  expectPlace(after)
  const isOver = () => signal?.aborted === true || store.isClosed
  let last = after
  while (!isOver()) {
    // Taken before it is read: what is written meanwhile is seen the next time.
    const mark = store.mark()
    const page = await unlessClosed(store, () => store.events(last, agentId))
    if (page === undefined) return
    for (const event of page) {
      if (isOver()) return
      last = event.seq
      yield event
    }
    if (page.length === 0 && !isOver()) await store.changed(mark, signal)
  }
}
