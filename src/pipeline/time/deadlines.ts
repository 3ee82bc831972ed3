/**
 * Many deadlines on one timer. Setting or clearing a deadline does not touch the timer while the timer fires earlier anyway. The
 * timer keeps the process alive only while a deadline is set.
 */

import { performance } from "node:perf_hooks"
import type { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { whenAborted } from "../../model/when-aborted.ts"
import { beyondCalls } from "../schedule/beyond-calls.ts"
import { DeadlineHeap, type Expiring } from "./deadline-heap.ts"
import { longestTimer } from "./longest-timer.ts"

export type { Expiring }

/** The deadlines of one executor, in milliseconds of its clock. */
export class Deadlines {
  private readonly heap = new DeadlineHeap()
  private armedAt = Number.POSITIVE_INFINITY
  private timer: NodeJS.Timeout | undefined
  private disarm: (() => void) | undefined
  /** Whether the timer is unreferenced, so that it does not keep the process alive, and whether it is about to be. */
  private released = false
  private releasing = false
  private readonly clock: Clock | undefined

  /** Default: the system clock. Tests with virtual time pass their own. */
  constructor(clock: Clock | undefined) {
    this.clock = clock
  }

  now(): number {
    return this.clock === undefined ? performance.now() : this.clock.currentTimeMillisUnsafe()
  }

  /** Epoch milliseconds. */
  time(): number {
    return this.clock === undefined ? Date.now() : this.clock.currentTimeMillisUnsafe()
  }

  /** Sets a deadline, or moves it. */
  set(entry: Expiring, afterMillis: number): void {
    this.heap.delete(entry)
    if (afterMillis === Number.POSITIVE_INFINITY) return
    entry.expiresAt = this.now() + afterMillis
    this.heap.add(entry)
    if (entry.expiresAt < this.armedAt) this.arm(entry.expiresAt)
    else if (this.released) this.hold()
  }

  /** Calls the function after this time. Pass the returned deadline to `clear` to stop it. */
  after(millis: number, expire: () => void): Expiring {
    const entry: Expiring = { expiresAt: 0, slot: -1, expire }
    this.set(entry, millis)
    return entry
  }

  /** Resolves after this time, or once the signal is aborted. */
  sleep(millis: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const release = whenAborted(signal, () => {
        this.clear(entry)
        resolve()
      })
      const entry = this.after(millis, () => {
        release()
        resolve()
      })
    })
  }

  isSet(entry: Expiring): boolean {
    return this.heap.has(entry)
  }

  clear(entry: Expiring): void {
    // The timer stays armed: deadlines are usually cleared early, and arming it again for a later one would cost more.
    if (this.heap.delete(entry) && this.heap.size === 0) this.release()
  }

  /** Unreferences the timer in the next turn of the event loop: a sequence of calls would otherwise toggle the reference each time. */
  private release(): void {
    if (this.timer === undefined || this.releasing) return
    this.releasing = true
    setImmediate(() => {
      this.releasing = false
      if (this.heap.size > 0 || this.timer === undefined) return
      this.released = true
      this.timer.unref()
    })
  }

  private hold(): void {
    this.released = false
    this.timer?.ref()
  }

  dispose(): void {
    this.disarm?.()
    this.heap.clear()
  }

  private arm(at: number): void {
    this.disarm?.()
    this.armedAt = at
    const wait = Math.min(Math.max(0, at - this.now()), longestTimer)
    if (this.clock === undefined) {
      const timer = beyondCalls.runInAsyncScope(() => setTimeout(() => this.fire(), wait))
      this.released = false
      this.timer = timer
      this.disarm = () => clearTimeout(timer)
    } else {
      const sleep = this.clock.sleep(Duration.millis(wait))
      const fiber = Effect.runFork(
        Effect.andThen(
          sleep,
          Effect.sync(() => this.fire()),
        ),
      )
      this.disarm = () => fiber.interruptUnsafe()
    }
  }

  private fire(): void {
    this.timer = undefined
    this.disarm = undefined
    this.armedAt = Number.POSITIVE_INFINITY
    const now = this.now()
    for (let entry = this.heap.first(); entry !== undefined; entry = this.heap.first()) {
      if (entry.expiresAt > now) break
      this.heap.delete(entry)
      entry.expire()
    }
    const next = this.heap.first()
    if (next !== undefined && next.expiresAt < this.armedAt) this.arm(next.expiresAt)
  }
}
