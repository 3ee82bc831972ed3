/**
 * The events that the host has not read yet. Each event goes to one reader, once. Unread deltas are limited in number and in bytes.
 * Past the limit, a handler that awaits its delta waits for the reader; other deltas merge into their call's last unread delta.
 */
import { abortError } from "../../model/abort-error.ts"
import type { ToolEvent } from "../../model/event.ts"
import { whenAborted } from "../../model/when-aborted.ts"
import { Ring } from "../schedule/ring.ts"
import { type DeltaSource, deltaEvent, type EventSink, type Room, type SentDelta } from "./event-sink.ts"
import type { EventStamps } from "./event-stamps.ts"
import { type DeltaBounds, UnreadDeltas } from "./unread-deltas.ts"

interface Reader {
  readonly resolve: (event: ToolEvent | undefined) => void
  /** Whether the read ends when no call is active and no event is unread. */
  readonly untilIdle: boolean
  /** The iterator that waits, so that its read can be withdrawn. */
  readonly iterator: EventIterator | undefined
}

interface ReadOptions {
  readonly untilIdle: boolean
  readonly signal?: AbortSignal | undefined
  readonly iterator?: EventIterator
}

/** The queue that the host reads with `next`, `events` and `stream`. */
export class EventQueue implements EventSink {
  readonly answers = true
  private readonly unread = new Ring<ToolEvent>()
  private readonly readers = new Ring<Reader>()
  private readonly waitingForRoom = new Ring<() => void>()
  private readonly stamps: EventStamps
  private readonly deltas: UnreadDeltas
  /** The number of events that were read so far. An event is unread while its sequence is not below this number. */
  private readCount = 0
  private closed = false
  /** The number of pushed events that have to be stored before a reader gets them. */
  private held = 0
  /** Whether no call is left that could emit an event. */
  private readonly isIdle: () => boolean

  constructor(bounds: DeltaBounds, stamps: EventStamps, isIdle: () => boolean) {
    this.deltas = new UnreadDeltas(bounds)
    this.stamps = stamps
    this.isIdle = isIdle
  }

  /** The number of events that were pushed so far, read or not. */
  get sequence(): number {
    return this.readCount + this.unread.length + this.held
  }

  isUnread(sequence: number): boolean {
    return sequence >= this.readCount
  }

  push(event: ToolEvent): void {
    this.stamps.stamp(event)
    const { journal } = this.stamps
    if (journal === undefined) return this.give(event)
    this.held += 1
    // The delta counts already, so that memory stays limited while the store is unavailable.
    if (event._tag === "Delta") this.deltas.add(event)
    journal.told(event, () => {
      this.held -= 1
      if (event._tag === "Delta") this.deltas.forget(event)
      this.give(event)
      if (this.held === 0 && this.readers.length > 0 && this.isIdle()) this.idle()
    })
  }

  private give(event: ToolEvent): void {
    const reader = this.readers.length === 0 ? undefined : this.readers.shift()
    if (reader !== undefined) {
      this.readCount += 1
      return reader.resolve(event)
    }
    if (event._tag === "Delta") this.deltas.add(event)
    this.unread.push(event)
  }

  delta(source: DeltaSource, content: string, partial: unknown): Promise<void> | undefined {
    if ((this.readers.length > 0 && this.held === 0) || this.deltas.hasRoom) {
      this.send(source, content, partial)
      return undefined
    }
    if (source.background) {
      this.mergeOrSend(source, content, partial)
      return undefined
    }
    if (source.room !== undefined) {
      this.takeBack(source)
      this.mergeOrSend(source, content, partial)
      return source.room.promise
    }
    const last = source.lastDelta
    this.send(source, content, partial, last && { event: last.event, sequence: last.sequence })
    source.room = this.waitForRoom(source)
    return source.room.promise
  }

  private send(source: DeltaSource, content: string, partial: unknown, before?: SentDelta): void {
    const event = deltaEvent(source, content, partial)
    source.lastDelta = { event, sequence: this.sequence, before }
    this.push(event)
  }

  private mergeOrSend(source: DeltaSource, content: string, partial: unknown): void {
    const last = source.lastDelta
    if (last === undefined || !this.isUnread(last.sequence)) return this.send(source, content, partial)
    // Watchers receive the new delta, not the merged one.
    if (this.stamps.isWatched) this.stamps.stamp(deltaEvent(source, content, partial))
    this.deltas.mergeInto(last.event, content, partial)
  }

  /** Merges the delta past the limit into the one before it, because its handler did not wait for room. */
  private takeBack(source: DeltaSource): void {
    const last = source.lastDelta
    const before = last?.before
    if (last === undefined || before === undefined || !this.isUnread(before.sequence)) return
    if (last.sequence !== this.sequence - 1 || this.held > 0) return
    this.unread.pop()
    this.deltas.forget(last.event)
    this.deltas.mergeInto(before.event, last.event.content, last.event.partial)
    source.lastDelta = before
  }

  /** The next event; undefined once the queue is closed and empty. With `untilIdle`, also once no call is active. */
  next(options: ReadOptions): Promise<ToolEvent | undefined> {
    const { untilIdle, signal } = options
    if (signal?.aborted) return Promise.reject(abortError(signal))
    const event = this.unread.shift()
    if (event !== undefined) {
      this.readCount += 1
      if (event._tag === "Delta") {
        this.deltas.forget(event)
        this.makeRoom(this.deltas.roomFor(this.waitingForRoom.length))
      }
      return Promise.resolve(event)
    }
    if (this.closed || (untilIdle && this.held === 0 && this.isIdle())) return Promise.resolve(undefined)
    // Nothing is unread, so all waiting handlers may continue.
    if (this.waitingForRoom.length > 0) this.makeRoom(this.waitingForRoom.length)
    return signal === undefined ? this.wait(options) : this.waitUnlessAborted(options, signal)
  }

  private wait({ untilIdle, iterator }: ReadOptions): Promise<ToolEvent | undefined> {
    return new Promise((resolve) => this.readers.push({ resolve, untilIdle, iterator }))
  }

  private waitUnlessAborted(
    { untilIdle, iterator }: ReadOptions,
    signal: AbortSignal,
  ): Promise<ToolEvent | undefined> {
    return new Promise((resolve, reject) => {
      const release = whenAborted(signal, () => {
        reject(abortError(signal))
        this.sendHome((other) => other === reader)
      })
      const reader: Reader = {
        resolve: (value) => {
          release()
          resolve(value)
        },
        untilIdle,
        iterator,
      }
      this.readers.push(reader)
    })
  }

  /** Whether any reader waits, perhaps with `untilIdle`. */
  get isAwaited(): boolean {
    return this.readers.length > 0
  }

  /** Ends the reads with `untilIdle`. Called when the last call has ended. */
  idle(): void {
    if (this.held > 0) return
    this.sendHome((reader) => reader.untilIdle)
  }

  /** Withdraws an iterator's read, so that the next event goes to another reader. */
  withdraw(iterator: EventIterator): void {
    this.sendHome((reader) => reader.iterator === iterator)
  }

  /** Closes the queue. Unread events stay readable. */
  close(): void {
    this.closed = true
    this.sendHome(() => true)
  }

  /** A linear search: there is rarely more than one reader. */
  private sendHome(leaves: (reader: Reader) => boolean): void {
    for (let left = this.readers.length; left > 0; left--) {
      const reader = this.readers.shift()!
      if (leaves(reader)) reader.resolve(undefined)
      else this.readers.push(reader)
    }
  }

  private waitForRoom(source: DeltaSource): Room {
    let resolve: () => void
    const promise = new Promise<void>((resolved) => {
      resolve = resolved
    })
    const open = () => {
      source.room = undefined
      resolve()
    }
    this.waitingForRoom.push(open)
    return { promise, open }
  }

  private makeRoom(count: number): void {
    for (let i = 0; i < count && this.waitingForRoom.length > 0; i++) this.waitingForRoom.shift()!()
  }
}

/** Reads a queue until it is closed, or until `return`. */
export class EventIterator implements AsyncIterableIterator<ToolEvent> {
  private readonly queue: EventQueue
  private returned = false

  constructor(queue: EventQueue) {
    this.queue = queue
  }

  async next(): Promise<IteratorResult<ToolEvent, undefined>> {
    if (this.returned) return { done: true, value: undefined }
    const value = await this.queue.next({ untilIdle: false, iterator: this })
    return value === undefined ? { done: true, value } : { done: false, value }
  }

  async return(): Promise<IteratorResult<ToolEvent, undefined>> {
    this.returned = true
    this.queue.withdraw(this)
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
