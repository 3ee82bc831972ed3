/** What the processes of a Postgres store tell each other, so that nobody has to poll. A lost notice is made up for by a look. */

import type { Sql } from "./connection.ts"
import { channel, type Notice } from "./schema.ts"

/** Milliseconds after which one looks without having been told. */
const lookAgain = 1000

/** Milliseconds between proofs that notices come. */
const proveEvery = 5000

const proof = "proof"

/** Listens, on a connection of its own, which is made anew where it brings nothing any more. */
export class Notices {
  private readonly connect: () => Sql
  private readonly heard: (notice: Notice) => void
  private readonly timer: NodeJS.Timeout
  private readonly waiting = new Set<() => void>()
  private connection: Sql | undefined
  private isProved = false
  private isClosed = false
  private count = 0

  /** @param connect Gives a connection that is for nothing else. */
  constructor(connect: () => Sql, heard: (notice: Notice) => void = () => undefined) {
    this.connect = connect
    this.heard = heard
    this.timer = setInterval(() => this.prove(), proveEvery).unref()
  }

  /** Resolves once it listens. */
  async listen(): Promise<void> {
    const before = this.connection
    const connection = this.connect()
    this.connection = connection
    before?.end({ timeout: 0 }).catch(() => undefined)
    await connection.listen(
      channel,
      (notice) => this.hear(notice),
      // Also when it is connected again: something may have been told meanwhile.
      () => this.news(),
    )
  }

  /** How much was heard. */
  mark(): number {
    return this.count
  }

  /** Resolves once something was heard after the mark, after a while all the same, and when the signal is aborted. */
  async changed(mark: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.count !== mark || this.isClosed || signal?.aborted === true) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(late)
        this.waiting.delete(wake)
        signal?.removeEventListener("abort", wake)
        resolve()
      }
      const late = setTimeout(wake, lookAgain)
      this.waiting.add(wake)
      signal?.addEventListener("abort", wake, { once: true })
    })
  }

  close(): void {
    this.isClosed = true
    clearInterval(this.timer)
    this.news()
    this.connection?.end({ timeout: 0 }).catch(() => undefined)
  }

  private hear(notice: string): void {
    if (notice === proof) {
      this.isProved = true
      return
    }
    this.heard(notice as Notice)
    this.news()
  }

  private news(): void {
    this.count += 1
    for (const wake of [...this.waiting]) wake()
  }

  private prove(): void {
    if (!this.isProved) void this.listen().catch(() => undefined)
    this.isProved = false
    this.connection?.notify(channel, proof).catch(() => undefined)
  }
}
