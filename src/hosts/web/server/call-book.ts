/** The calls for pages, by key in the order of enqueueing. The oldest ended calls make room for others. */
import type { ToolEvent } from "../../../model/event.ts"
import { BookedCall, type Booking } from "./booked-call.ts"

/** Maximum characters of all ended calls together. */
const maxSize = 64_000_000

type CallEvent = Exclude<ToolEvent, { readonly actionId: string }>

/** All calls that are shown. */
export class CallBook {
  private readonly calls = new Map<number, BookedCall>()
  /** Calls that have not ended, by call id. */
  private readonly activeCalls = new Map<string, BookedCall>()
  /** Calls that were refused because their id is in use, until their event arrives. */
  private readonly duplicates = new Map<string, Array<BookedCall>>()
  /** The calls whose results are kept, by task id. */
  private readonly tasks = new Map<string, number>()
  /** Ended calls, in the order of their ends, with their sizes. */
  private readonly finished = new Map<number, number>()
  private oldest = this.finished.entries()
  private size = 0
  private count = 0
  private readonly max: number
  private readonly dropped: (keys: ReadonlyArray<number>) => void

  constructor(max: number, dropped: (keys: ReadonlyArray<number>) => void) {
    this.max = max
    this.dropped = dropped
  }

  add(booking: Omit<Booking, "key">): BookedCall {
    this.count += 1
    const booked = new BookedCall({ ...booking, key: this.count })
    const { callId } = booking
    this.calls.set(booked.key, booked)
    if (!this.activeCalls.has(callId)) this.activeCalls.set(callId, booked)
    else this.duplicates.set(callId, [...(this.duplicates.get(callId) ?? []), booked])
    return booked
  }

  get(key: number): BookedCall | undefined {
    return this.calls.get(key)
  }

  active(callId: string): BookedCall | undefined {
    return this.activeCalls.get(callId)
  }

  /** The call of this id that was enqueued last, ended or not. */
  latest(callId: string): BookedCall | undefined {
    return this.activeCalls.get(callId) ?? [...this.calls.values()].findLast((call) => call.callId === callId)
  }

  /** The call that an event is about. */
  of(event: CallEvent): BookedCall | undefined {
    if (event._tag === "Error" && event.reason === "duplicate") {
      const [first, ...rest] = this.duplicates.get(event.callId) ?? []
      if (rest.length > 0) this.duplicates.set(event.callId, rest)
      else this.duplicates.delete(event.callId)
      if (first !== undefined) return first
    }
    return this.activeCalls.get(event.callId)
  }

  /** Records the end of a call. `kept`: whether a task keeps the result. */
  over(booked: BookedCall, kept: boolean): void {
    const { callId, key } = booked
    const size = booked.settle()
    if (this.activeCalls.get(callId) === booked) this.activeCalls.delete(callId)
    if (kept) this.tasks.set(callId, key)
    this.finished.set(key, size)
    this.size += size
    this.makeRoom()
  }

  /** Removes a task. Returns the key of its call. */
  forgetTask(taskId: string): number | undefined {
    const key = this.tasks.get(taskId)
    this.tasks.delete(taskId)
    return key
  }

  private makeRoom(): void {
    const keys: Array<number> = []
    while (this.calls.size > this.max || this.size > maxSize) {
      const oldest = this.nextFinished()
      if (oldest === undefined) break
      const [key, size] = oldest
      this.finished.delete(key)
      this.calls.delete(key)
      this.size -= size
      keys.push(key)
    }
    if (keys.length > 0) this.dropped(keys)
  }

  /** The oldest call that is not dropped. A search from the beginning would visit all dropped ones. */
  private nextFinished(): readonly [key: number, size: number] | undefined {
    const next = this.oldest.next()
    if (next.done !== true) return next.value
    // The iterator finished before other calls ended.
    this.oldest = this.finished.entries()
    return this.oldest.next().value
  }
}
