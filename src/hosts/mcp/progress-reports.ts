/**
 * Sends what a call streams as progress of its request: a report now and then, with the end of the text since the last one.
 * Clients show it to people; the whole output is in the result.
 */
import { Tail } from "../tail.ts"

/** How many reports can be sent at once, after a pause. */
const burst = 10
/** Milliseconds until one more can be sent. */
const interval = 250
/** Characters of one report. */
const maxShown = 4_000

/** The reports of one request. At most one is in flight, so that a slow client costs no memory. */
export class ProgressReports {
  private readonly send: (content: string) => Promise<void>
  private tail = new Tail(maxShown)
  private timer: NodeJS.Timeout | undefined
  /** How many could be sent at once at the time `at`. */
  private room = burst
  private at = performance.now()
  private sent: Promise<void> = Promise.resolve()

  /** `send` does not reject. */
  constructor(send: (content: string) => Promise<void>) {
    this.send = send
  }

  /** Adds text. If a report is sent at once, resolves when it is sent. */
  async add(content: string): Promise<void> {
    this.tail.add(content)
    if (this.timer !== undefined) return
    const now = performance.now()
    this.room = Math.min(burst, this.room + (now - this.at) / interval)
    this.at = now
    if (this.room >= 1) return this.flush()
    this.timer = setTimeout(() => void this.flush(), interval * (1 - this.room)).unref()
  }

  /** Sends the remaining text. */
  async flush(): Promise<void> {
    await this.sent
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.tail.size === 0) return
    const content = this.tail.toString()
    this.tail = new Tail(maxShown)
    this.room -= 1
    this.sent = this.send(content)
    await this.sent
  }
}
