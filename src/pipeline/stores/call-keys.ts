/**
 * The idempotency keys of calls: one call with a key runs at a time, and its output answers the others for a while. A journal
 * keeps the outputs, and ensures that no other process runs a call with the same key.
 */
import { bytesOfBlocks } from "../../output/cut-blocks.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { Call } from "../call/call.ts"

/** The answer to a call's claim: undefined if the call has to run, otherwise the output of the call that ran. */
export type KeyAnswer = { readonly output: ToolOutput } | undefined

/** Keeps keys where other processes see them. */
export interface KeyJournal {
  /** Takes a key for a call, once no other process runs a call with that key. */
  claimKey(call: Call, key: string): Promise<KeyAnswer>
  /** The output of the call with this key. */
  keyOutput(key: string): Promise<ToolOutput | undefined>
  /**
   * Records the end of a call with a key. `output`: undefined if it does not answer other calls. `ttl`: how long it does, in
   * milliseconds.
   */
  endKey(call: Call, key: string, output: ToolOutput | undefined, ttl: number): void
}

interface Waiting {
  readonly call: Call
  readonly resolve: (answer: KeyAnswer | Promise<KeyAnswer>) => void
}

/** The running call, and the calls that wait for its end, in order. */
interface Holder {
  readonly call: Call
  readonly waiting: Array<Waiting>
}

interface Kept {
  readonly output: ToolOutput
  readonly bytes: number
  readonly expiresAt: number
}

/** The limits of the outputs kept in memory: their number and their total bytes. The oldest are dropped first. */
const maxKept = 10_000
const maxKeptBytes = 64 * 1024 * 1024

/** Whether a nested call was made in this call, or in one of its nested calls. */
const wasMadeIn = (inner: Call, call: Call): boolean => {
  let { outer } = inner.to
  while (outer !== undefined && outer !== call) outer = outer.to.outer
  return outer !== undefined
}

/** The keys of one executor. */
export class CallKeys {
  private readonly holders = new Map<string, Holder>()
  private readonly kept = new Map<string, Kept>()
  private bytes = 0
  private readonly journal: KeyJournal | undefined
  /** Epoch milliseconds. */
  private readonly now: () => number

  constructor(journal: KeyJournal | undefined, now: () => number) {
    this.journal = journal
    this.now = now
  }

  /** Takes a key for a call. Waits while another call holds it. */
  claim(call: Call, key: string): KeyAnswer | Promise<KeyAnswer> {
    // The parameters may have been edited since the call took its key.
    if (call.key !== undefined && call.key !== key) this.end(call, undefined, 0)
    const holder = this.holders.get(key)
    if (holder !== undefined && holder.call !== call)
      return new Promise((resolve) => holder.waiting.push({ call, resolve }))
    return this.take(call, key, holder?.waiting ?? [])
  }

  /** The call that holds the key, if it waits for a call in which this one was made: neither would ever go on. */
  lockedBy(call: Call, key: string): Call | undefined {
    const holder = this.holders.get(key)?.call
    if (holder === undefined || call.to.outer === undefined) return undefined
    return this.waitsFor(holder, call) ? holder : undefined
  }

  /** Whether a call waits, in its nested calls and those that these wait for, for one in which `inner` was made. */
  private waitsFor(call: Call, inner: Call): boolean {
    if (wasMadeIn(inner, call)) return true
    return [...this.holders.values()].some(
      (holder) =>
        holder.waiting.some((each) => each.call.isActive && wasMadeIn(each.call, call)) &&
        this.waitsFor(holder.call, inner),
    )
  }

  /** Takes the key again for a restored call. */
  reclaim(call: Call, key: string): void {
    call.key = key
    if (!this.holders.has(key)) this.holders.set(key, { call, waiting: [] })
  }

  /** The output that a call with this key would receive now. */
  peek(key: string): ToolOutput | undefined | Promise<ToolOutput | undefined> {
    return this.journal === undefined ? this.find(key) : this.journal.keyOutput(key)
  }

  /** Releases the call's key. `output`: undefined if it does not answer other calls: then the next one runs. */
  end(call: Call, output: ToolOutput | undefined, ttl: number): void {
    const { key } = call
    if (key === undefined) return
    call.key = undefined
    this.journal?.endKey(call, key, output, ttl)
    const holder = this.holders.get(key)
    if (holder?.call !== call) return
    this.holders.delete(key)
    const { waiting } = holder
    if (output === undefined) return this.pass(key, waiting)
    if (this.journal === undefined) this.keep(key, output, ttl)
    for (const { resolve } of waiting) resolve({ output })
  }

  /** Lets the next call run that is still waiting. */
  private pass(key: string, waiting: Array<Waiting>): void {
    const place = waiting.findIndex(({ call }) => call.isActive)
    if (place === -1) return
    const { call, resolve } = waiting[place]!
    resolve(this.take(call, key, waiting.slice(place + 1)))
  }

  private take(call: Call, key: string, waiting: Array<Waiting>): KeyAnswer | Promise<KeyAnswer> {
    call.key = key
    this.holders.set(key, { call, waiting })
    if (this.journal !== undefined) return this.fromJournal(this.journal, call, key)
    const output = this.find(key)
    return output === undefined ? undefined : this.answered(call, output)
  }

  private async fromJournal(journal: KeyJournal, call: Call, key: string): Promise<KeyAnswer> {
    const answer = await journal.claimKey(call, key)
    if (answer !== undefined) return this.answered(call, answer.output)
    // The call was cancelled in the meantime, and the store may have recorded that before the claim.
    if (!call.isActive && !call.isLeft) journal.endKey(call, key, undefined, 0)
    return undefined
  }

  /** Returns the known output: no call needs to hold the key. */
  private answered(call: Call, output: ToolOutput): KeyAnswer {
    const { key } = call
    call.key = undefined
    const holder = key === undefined ? undefined : this.holders.get(key)
    if (holder?.call === call) {
      this.holders.delete(key!)
      for (const { resolve } of holder.waiting) resolve({ output })
    }
    return { output }
  }

  private find(key: string): ToolOutput | undefined {
    const kept = this.kept.get(key)
    if (kept === undefined || kept.expiresAt > this.now()) return kept?.output
    this.forget(key)
    return undefined
  }

  private keep(key: string, output: ToolOutput, ttl: number): void {
    this.forget(key)
    const bytes = bytesOfBlocks(output.content)
    this.kept.set(key, { output, bytes, expiresAt: this.now() + ttl })
    this.bytes += bytes
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= maxKept && this.bytes <= maxKeptBytes) break
      this.forget(oldest)
    }
  }

  private forget(key: string): void {
    const kept = this.kept.get(key)
    if (kept === undefined) return
    this.kept.delete(key)
    this.bytes -= kept.bytes
  }
}
