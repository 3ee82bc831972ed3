/** Notices between the processes of a Postgres store, so that none has to poll. Regular looks compensate for lost notices. */

import { whenAborted } from "../../model/when-aborted.ts"
import { beat, channel, type Notice } from "./schema.ts"
import { type Listener, listen } from "./sql.ts"

/** Milliseconds after which a wait ends without a notice. */
const lookAgain = 1000

/** Milliseconds between two proofs that notices arrive. */
const proveEvery = 5000

const proof = "proof"

/** The milliseconds that a notice may take when the store is opened. */
const hearWithin = 5000

/** Milliseconds until a lost connection is opened again. */
const connectAgain = 250

/** Listens on its own connection, which is replaced when notices no longer arrive. */
export class Notices {
  private readonly url: string
  private readonly heard: (notice: Notice) => void
  private readonly timer: NodeJS.Timeout
  private readonly waiting = new Set<() => void>()
  private listener: Listener | undefined
  private isListening = false
  private isProved = false
  private isBeaten = false
  private proved: (() => void) | undefined
  private isClosed = false
  private count = 0

  constructor(url: string, heard: (notice: Notice) => void = () => undefined) {
    this.url = url
    this.heard = heard
    this.timer = setInterval(() => this.prove(), proveEvery).unref()
  }

  /** Resolves once the connection listens. */
  async listen(): Promise<void> {
    if (this.isListening) return
    this.isListening = true
    const before = this.listener
    this.listener = undefined
    before?.end()
    try {
      const listener: Listener = await listen(
        this.url,
        channel,
        (notice) => this.hear(notice),
        () => this.lost(listener),
      )
      if (this.isClosed) listener.end()
      else this.listener = listener
      this.isProved = true
      // Notices may have been missed meanwhile.
      this.news()
    } finally {
      this.isListening = false
    }
  }

  /** Whether the listener receives a proof that is sent on another connection. Also true if this cannot be determined. */
  async hears(tell: (message: string) => Promise<unknown>): Promise<boolean> {
    if (this.listener === undefined) return true
    let late: NodeJS.Timeout | undefined
    const heard = new Promise<boolean>((resolve) => {
      this.proved = () => resolve(true)
      late = setTimeout(() => resolve(this.listener === undefined), hearWithin)
    })
    try {
      await tell(proof)
      return await heard
    } catch {
      return true
    } finally {
      clearTimeout(late)
      this.proved = undefined
    }
  }

  /** The number of notices that have arrived. */
  mark(): number {
    return this.count
  }

  /** Resolves once a notice has arrived after the mark, after a second without one, and when the signal is aborted. */
  async changed(mark: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.count !== mark || this.isClosed || signal?.aborted === true) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(late)
        this.waiting.delete(wake)
        release?.()
        resolve()
      }
      const late = setTimeout(wake, lookAgain)
      this.waiting.add(wake)
      const release = signal && whenAborted(signal, wake)
    })
  }

  close(): void {
    this.isClosed = true
    clearInterval(this.timer)
    this.news()
    this.listener?.end()
  }

  private hear(notice: string): void {
    if (notice === beat) {
      this.isBeaten = true
      return
    }
    if (notice === proof) {
      this.isProved = true
      this.proved?.()
      return
    }
    this.heard(notice as Notice)
    this.news()
  }

  private news(): void {
    this.count += 1
    for (const wake of [...this.waiting]) wake()
  }

  /** Reopens a lost connection, unless it was closed on purpose. */
  private lost(listener: Listener): void {
    if (this.isClosed || this.listener !== listener) return
    this.listener = undefined
    setTimeout(() => this.tryToListen(), connectAgain).unref()
  }

  private prove(): void {
    // A proof on the listener's own connection would be heard where no other is.
    if (this.proved !== undefined) return
    if (this.isBeaten) {
      this.isBeaten = false
      this.isProved = true
      return
    }
    if (!this.isProved) this.tryToListen()
    this.isProved = false
    this.listener?.tell(proof).catch(() => undefined)
  }

  /** After a failure, the next missing proof tries again. */
  private tryToListen(): void {
    if (!this.isClosed) this.listen().catch(() => undefined)
  }
}
