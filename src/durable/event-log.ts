/** Reads the events of a store after a cursor: first the stored ones, then new ones as they arrive. */
import type { ToolEvent } from "../model/event.ts"
import { expectOptions, expectSignal, expectText, got } from "../model/got.ts"
import { whenAborted } from "../model/when-aborted.ts"
import { type CallStore, unlessClosed } from "./store.ts"
import { StoreError } from "./store-error.ts"
import { plainEvent, type StoredEvent } from "./stored-event.ts"

/** Options of `events`. */
export interface EventsOptions {
  /** The `seq` of the last event that was read: reading continues after it. Default: the start of the events that are kept. */
  readonly after?: number
  /** Only events of this agent. */
  readonly agentId?: string
  /** Ends the reading. */
  readonly signal?: AbortSignal
}

/** Throws a TypeError for a cursor that is not an integer, such as a string. */
export const expectPlace = (after: number | undefined): void => {
  if (after === undefined || Number.isInteger(after)) return
  throw new TypeError(`Expected \`after\` to be the \`seq\` of what was read last, ${got(after)}`)
}

/** Throws a StoreError for the cursor of an event that the store never had: it comes from another store, or from before a restore. */
const expectKnown = async (store: Pick<CallStore, "lastSequence">, after: number): Promise<void> => {
  const last = after > 0 ? await store.lastSequence(after) : after
  if (after <= last) return
  throw new StoreError(
    `The store has no event ${after}: its events end at ${last}. It was restored from a backup, or is another one: read it anew, without \`after\``,
  )
}

/** Throws a TypeError for anything but options, such as a bare cursor. */
export const expectReading = (options: EventsOptions): void => {
  expectOptions("events", options, ["after", "agentId", "signal"])
  expectText("agentId", options.agentId)
  expectSignal(options.signal)
}

/** The number of events in one page. */
export const pageSize = 500

/** The number of events that are buffered for one reader before it reads the store again. */
const mostWaiting = 2000

/** Emits events as they arrive. */
interface EventSource {
  listen(listener: (event: ToolEvent) => void): () => void
}

/** The buffer of one reader. When it is full it is emptied, and its reader reads the store again. */
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

  /** Resolves once an event has arrived, and when `end` is called. */
  async come(): Promise<void> {
    if (this.events.length > 0) return
    await new Promise<void>((resolve) => {
      this.wake = () => {
        this.wake = undefined
        resolve()
      }
    })
  }

  /** Wakes the reader, because its reading has ended. */
  end(): void {
    this.wake?.()
  }
}

/** Reads the stored events, then new events of the executor in this process, deltas included. Ends when the store is closed. */
export async function* readEvents(
  store: Pick<CallStore, "events" | "lastSequence">,
  source: EventSource,
  closed: AbortSignal,
  { after = 0, agentId, signal }: EventsOptions,
): AsyncGenerator<StoredEvent, undefined, undefined> {
  expectPlace(after)
  await expectKnown(store, after)
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

/** Reads the stored events, then new events that any process stores. Ends when the store is closed. */
export async function* followEvents(
  store: CallStore,
  { after = 0, agentId, signal }: EventsOptions,
): AsyncGenerator<StoredEvent, undefined, undefined> {
  expectPlace(after)
  const isOver = () => signal?.aborted === true || store.isClosed
  if (!isOver()) await unlessClosed(store, () => expectKnown(store, after))
  let last = after
  while (!isOver()) {
    // Marked before the read, so that `changed` detects what is stored during it.
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
