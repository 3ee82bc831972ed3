/**
 * Calls that wait for their user while no request of theirs is open: each under a name that is given out for one answer.
 * One that nobody answers in time is denied, and so is one too many, so that clients that vanish leave nothing behind.
 */
import { randomUUID } from "node:crypto"
import { formatMillis } from "../../pipeline/model/duration.ts"

/** What waits. */
export interface Suspended {
  readonly name: string
  deny(reason: string): void
}

interface Entry<Call> {
  readonly call: Call
  readonly timer: NodeJS.Timeout
}

export interface SuspendedCallsOptions {
  /** Milliseconds that an answer may take. */
  readonly ttl: number
  readonly max: number
}

/** What a call tells the model that nobody answered in so many milliseconds. */
export const nobodyAnswered = (milliseconds: number): string =>
  `Nobody answered within ${formatMillis(milliseconds)}. Call it again if it is still needed.`

/** The calls of one server that wait between two requests. */
export class SuspendedCalls<Call extends Suspended> {
  private readonly entries = new Map<string, Entry<Call>>()
  private readonly options: SuspendedCallsOptions

  constructor(options: SuspendedCallsOptions) {
    this.options = options
  }

  /** Gives the name of the call for its next answer; undefined, and a denial, where too many wait. */
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

  /** The call, once. */
  take(nonce: unknown): Call | undefined {
    const entry = typeof nonce === "string" ? this.entries.get(nonce) : undefined
    if (entry === undefined) return undefined
    clearTimeout(entry.timer)
    this.entries.delete(nonce as string)
    return entry.call
  }
}
