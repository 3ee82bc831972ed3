/**
 * The events that the host has not read yet. Each event goes to one reader, once.
 * Deltas are bounded in number and in bytes: past a bound whoever awaits waits for the reader, and those of others merge
 * into their call's last unread one.
 */
import type { DeltaEvent, ToolEvent } from "../model/event.ts"
import type { Mutable } from "../model/mutable.ts"
import { Ring } from "../schedule/ring.ts"
import type { EventStamps } from "./event-stamps.ts"

interface SentDelta {
  readonly event: Mutable<DeltaEvent>
  readonly sequence: number
  /** For one past the bound: the one before it, which takes it in should the handler not wait for room. */
  readonly before?: SentDelta | undefined
}

/** A call's unread deltas. */
export interface DeltaSource {
  readonly agentId: string
  readonly callId: string
  /** A background task's deltas never wait: its host may be waiting for the task alone. */
  readonly background: boolean
  lastDelta: SentDelta | undefined
  room: Room | undefined
}

/** What a handler waits for that awaits its deltas. */
export interface Room {
  readonly promise: Promise<void>
  readonly open: () => void
}

/** Where a call's events go: the queue, or the `onEvent` of `run`. */
export interface EventSink {
  /** Whether somebody can answer what an event asks. */
  readonly answers: boolean
  push(event: ToolEvent): void
  /** Whether the event that was pushed as the queue's `sequence`th still waits for a reader. */
  isUnread(sequence: number): boolean
  /** How many events it was told so far, where somebody reads them later. */
  readonly sequence: number
  /** A promise where the consumer has no room. */
  delta(source: DeltaSource, content: string, partial: unknown): Promise<void> | undefined
}

interface Reader {
  readonly resolve: (event: ToolEvent | undefined) => void
  /** Whether the reader goes home when nothing is left to come for now. */
  readonly untilIdle: boolean
  /** Who waits, for those that may withdraw. */
  readonly iterator: EventIterator | undefined
}

const mergedChars = 65_536
const omission = "[earlier output left out]\n"

/** The event of a delta, without the stamp that it gets when it is told. */
export const deltaEvent = (source: DeltaSource, content: string, partial: unknown): Mutable<DeltaEvent> =>
  partial === undefined
    ? { _tag: "Delta", agentId: source.agentId, callId: source.callId, content, seq: 0, at: 0 }
    : { _tag: "Delta", agentId: source.agentId, callId: source.callId, content, partial, seq: 0, at: 0 }

/** True where it had to be cut. */
const merge = (event: Mutable<DeltaEvent>, content: string, partial: unknown): boolean => {
  event.content += content
  if (partial !== undefined) event.partial = partial
  // Cut at twice the bound, so that the cost of a merge stays flat.
  if (event.content.length <= 2 * mergedChars) return false
  event.content = omission + event.content.slice(-mergedChars)
  return true
}

/** The bytes that an unread delta takes. */
interface DeltaSize {
  readonly content: number
  readonly partial: number
}

const partialBytes = (partial: unknown): number => {
  if (partial === undefined) return 0
  try {
    return Buffer.byteLength(JSON.stringify(partial) ?? "")
  } catch {
    return 0
  }
}

/** How much may be undelivered. */
export interface DeltaBounds {
  readonly deltas: number
  readonly bytes: number
}

/** The events that the host reads with `next`, `events` and `stream`. Each is told once, in order. */
export class EventQueue implements EventSink {
  readonly answers = true
  private readonly unread = new Ring<ToolEvent>()
  private readonly readers = new Ring<Reader>()
  private readonly waitingForRoom = new Ring<() => void>()
  private readonly bounds: DeltaBounds
  private readonly stamps: EventStamps
  private readonly unreadDeltas = new Map<ToolEvent, DeltaSize>()
  private unreadBytes = 0
  /** How many events were ever read; an event is unread while its sequence is not below. */
  private readCount = 0
  private closed = false
  /** Whether anything can still push: calls that are queued, running or waiting. */
  private readonly isIdle: () => boolean

  constructor(bounds: DeltaBounds, stamps: EventStamps, isIdle: () => boolean) {
    this.bounds = bounds
    this.stamps = stamps
    this.isIdle = isIdle
  }

  /** How many events were pushed so far, read or not. */
  get sequence(): number {
    return this.readCount + this.unread.length
  }

  isUnread(sequence: number): boolean {
    return sequence >= this.readCount
  }

  push(event: ToolEvent): void {
    this.stamps.stamp(event)
    const reader = this.readers.shift()
    if (reader !== undefined) {
      this.readCount += 1
      return reader.resolve(event)
    }
    if (event._tag === "Delta") {
      const { content, partial } = event
      this.measure(event, { content: Buffer.byteLength(content), partial: partialBytes(partial) })
    }
    this.unread.push(event)
  }

  delta(source: DeltaSource, content: string, partial: unknown): Promise<void> | undefined {
    if (this.readers.length > 0 || this.hasRoom) {
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

  private get hasRoom(): boolean {
    return this.unreadDeltas.size < this.bounds.deltas && this.unreadBytes < this.bounds.bytes
  }

  private measure(event: DeltaEvent, size: DeltaSize): void {
    this.forget(event)
    this.unreadDeltas.set(event, size)
    this.unreadBytes += size.content + size.partial
  }

  private forget(event: DeltaEvent): void {
    const size = this.unreadDeltas.get(event)
    if (size === undefined) return
    this.unreadDeltas.delete(event)
    this.unreadBytes -= size.content + size.partial
  }

  private mergeInto(event: Mutable<DeltaEvent>, content: string, partial: unknown): void {
    const before = this.unreadDeltas.get(event)
    const isCut = merge(event, content, partial)
    // Measured anew only where it was cut, so that the cost of a merge stays flat.
    const known = isCut
      ? Buffer.byteLength(event.content)
      : (before?.content ?? 0) + Buffer.byteLength(content)
    this.measure(event, {
      content: known,
      partial: partial === undefined ? (before?.partial ?? 0) : partialBytes(partial),
    })
  }

  private send(source: DeltaSource, content: string, partial: unknown, before?: SentDelta): void {
    const event = deltaEvent(source, content, partial)
    source.lastDelta = { event, sequence: this.sequence, before }
    this.push(event)
  }

  private mergeOrSend(source: DeltaSource, content: string, partial: unknown): void {
    const last = source.lastDelta
    if (last !== undefined && this.isUnread(last.sequence)) this.mergeInto(last.event, content, partial)
    else this.send(source, content, partial)
  }

  /** The handler did not wait for room, so that its delta past the bound should have merged. */
  private takeBack(source: DeltaSource): void {
    const last = source.lastDelta
    const before = last?.before
    if (last === undefined || before === undefined || !this.isUnread(before.sequence)) return
    if (last.sequence !== this.sequence - 1) return
    this.unread.pop()
    this.forget(last.event)
    this.mergeInto(before.event, last.event.content, last.event.partial)
    source.lastDelta = before
  }

  /** The next event; undefined once closed and read empty, or, `untilIdle`, once nothing is left to come for now. */
  next(options: {
    readonly untilIdle: boolean
    readonly signal?: AbortSignal | undefined
    readonly iterator?: EventIterator
  }): Promise<ToolEvent | undefined> {
    const { untilIdle, signal, iterator } = options
    if (signal?.aborted) return Promise.reject(signal.reason)
    const event = this.shift()
    if (event !== undefined) return Promise.resolve(event)
    if (this.closed || (untilIdle && this.isIdle())) return Promise.resolve(undefined)
    // Nothing is unread: there is room for all, whatever each of them does with it.
    this.makeRoom(this.waitingForRoom.length)
    return new Promise((resolve, reject) => {
      if (signal === undefined) {
        this.readers.push({ resolve, untilIdle, iterator })
        return
      }
      const onAbort = () => {
        reject(signal.reason)
        this.sendHome((other) => other === reader)
      }
      const reader: Reader = {
        resolve: (value) => {
          signal.removeEventListener("abort", onAbort)
          resolve(value)
        },
        untilIdle,
        iterator,
      }
      signal.addEventListener("abort", onAbort, { once: true })
      this.readers.push(reader)
    })
  }

  /** Whether a reader waits that may be one of those. */
  get isAwaited(): boolean {
    return this.readers.length > 0
  }

  /** Sends the readers home that wait until idle. Called when the last call has ended. */
  idle(): void {
    this.sendHome((reader) => reader.untilIdle)
  }

  /** The iterator reads no more: an event that it waits for goes to somebody else. */
  withdraw(iterator: EventIterator): void {
    this.sendHome((reader) => reader.iterator === iterator)
  }

  /** No event will come any more; what is unread stays readable. */
  close(): void {
    this.closed = true
    this.sendHome(() => true)
  }

  /** Looks at every reader: there is rarely more than one. */
  private sendHome(leaves: (reader: Reader) => boolean): void {
    for (let left = this.readers.length; left > 0; left--) {
      const reader = this.readers.shift()!
      if (leaves(reader)) reader.resolve(undefined)
      else this.readers.push(reader)
    }
  }

  private shift(): ToolEvent | undefined {
    const event = this.unread.shift()
    if (event === undefined) return undefined
    this.readCount += 1
    if (event._tag === "Delta") {
      this.forget(event)
      const { deltas, bytes } = this.bounds
      // Deltas past the bound are those of handlers that wait: one has come within it.
      const past = Math.max(0, this.unreadDeltas.size - deltas)
      if (this.unreadBytes <= bytes) this.makeRoom(this.waitingForRoom.length - past)
    }
    return event
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
