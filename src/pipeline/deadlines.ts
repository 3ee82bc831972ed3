/**
 * Many deadlines on one timer. Setting and clearing one costs an entry in a set and arms nothing, as long as an
 * earlier timer is armed already; the timer keeps the process alive only while a deadline is set.
 */
import type { Clock } from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface Expiring {
  /** In milliseconds of the deadlines' own clock. */
  expiresAt: number
  expire(): void
}

const longestTimer = 2 ** 31 - 1

export class Deadlines {
  private readonly entries = new Set<Expiring>()
  private armedAt = Number.POSITIVE_INFINITY
  private timer: NodeJS.Timeout | undefined
  private disarm: (() => void) | undefined
  private readonly clock: Clock | undefined

  /** Without a clock the system's is used. A clock of its own is what tests with virtual time bring. */
  constructor(clock: Clock | undefined) {
    this.clock = clock
  }

  now(): number {
    return this.clock === undefined ? performance.now() : this.clock.currentTimeMillisUnsafe()
  }

  set(entry: Expiring, afterMillis: number): void {
    if (afterMillis === Number.POSITIVE_INFINITY) return
    entry.expiresAt = this.now() + afterMillis
    this.entries.add(entry)
    if (entry.expiresAt < this.armedAt) this.arm(entry.expiresAt)
    else if (this.entries.size === 1) this.timer?.ref()
  }

  /** A deadline of its own, for a wait that nothing else stands for. */
  after(millis: number, expire: () => void): Expiring {
    const entry = { expiresAt: 0, expire }
    this.set(entry, millis)
    return entry
  }

  clear(entry: Expiring): void {
    // The timer stays armed: most deadlines are cleared long before, and the next one is later.
    if (this.entries.delete(entry) && this.entries.size === 0) this.timer?.unref()
  }

  dispose(): void {
    this.disarm?.()
    this.entries.clear()
  }

  private arm(at: number): void {
    this.disarm?.()
    this.armedAt = at
    const wait = Math.min(Math.max(0, at - this.now()), longestTimer)
    if (this.clock === undefined) {
      const timer = setTimeout(() => this.fire(), wait)
      this.timer = timer
      this.disarm = () => clearTimeout(timer)
    } else {
      const fiber = Effect.runFork(
        Effect.andThen(
          this.clock.sleep(Duration.millis(wait)),
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
    let next = Number.POSITIVE_INFINITY
    const expired: Array<Expiring> = []
    for (const entry of this.entries) {
      if (entry.expiresAt <= now) expired.push(entry)
      else if (entry.expiresAt < next) next = entry.expiresAt
    }
    if (next !== Number.POSITIVE_INFINITY) this.arm(next)
    for (const entry of expired) {
      // An entry before this one may have cleared or renewed it.
      if (entry.expiresAt <= now && this.entries.delete(entry)) entry.expire()
    }
  }
}
