/**
 * Calls that wait for their user without an open request, each under a nonce for one answer. A call without an answer in
 * time is denied, and so are calls above the limit, so that vanished clients leave nothing behind.
 */
import { randomUUID } from "node:crypto"
import { formatMillis } from "../../model/duration.ts"

/** A waiting call. */
export interface Suspended {
  readonly name: string
  deny(reason: string): void
}

interface Entry<Call> {
  readonly call: Call
  readonly timer: NodeJS.Timeout
}

export interface SuspendedCallsOptions {
  /** Milliseconds within which an answer must arrive. */
  readonly ttl: number
  readonly max: number
}

/** For the model, if nobody has answered a call for this time. */
export const nobodyAnswered = (milliseconds: number): string =>
  `Nobody answered within ${formatMillis(milliseconds)}. Call it again if it is still needed.`

/** The calls of one server that wait between two requests. */
export class SuspendedCalls<Call extends Suspended> {
  private readonly entries = new Map<string, Entry<Call>>()
  private readonly options: SuspendedCallsOptions

  constructor(options: SuspendedCallsOptions) {
    this.options = options
  }

  /** Keeps a call; returns the nonce for its next answer. If too many calls wait, denies it and returns undefined. */
  add(call: Call): string | undefined {
    const { ttl, max } = this.options
    if (this.entries.size >= max) {
      call.deny(`${max} calls wait for their users already. Answer or cancel some, then call it again.`)
      return undefined
    }
    const nonce = randomUUID()
    const expire = () => {
      this.entries.delete(nonce)
      call.deny(nobodyAnswered(ttl))
    }
    const timer = setTimeout(expire, ttl)
    timer.unref()
    this.entries.set(nonce, { call, timer })
    return nonce
  }

  /** Returns a call and forgets it. */
  take(nonce: unknown): Call | undefined {
    const entry = typeof nonce === "string" ? this.entries.get(nonce) : undefined
    if (entry === undefined) return undefined
    clearTimeout(entry.timer)
    this.entries.delete(nonce as string)
    return entry.call
  }
}
