/**
 * The idempotency keys of calls: of the calls with one key, one runs at a time, and what it gave answers the others for a while.
 * A journal keeps what they gave, and lets no other process run a call with the same key.
 */
import { bytesOfBlocks } from "../../output/cut-blocks.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { Call } from "../call/call.ts"

/** What a call learns of its key: undefined if the call is to run, else the output of the one that ran. */
export type KeyAnswer = { readonly output: ToolOutput } | undefined

/** Keeps keys where other processes see them. */
export interface KeyJournal {
  /** Takes a key for a call, once no other process runs a call with it. */
  claimKey(call: Call, key: string): Promise<KeyAnswer>
  /** What the call with this key gave. */
  keyOutput(key: string): Promise<ToolOutput | undefined>
  /** A call with a key has ended. `output`: undefined if it does not answer others. `ttl`: milliseconds for which it does. */
  endKey(call: Call, key: string, output: ToolOutput | undefined, ttl: number): void
}

interface Waiting {
  readonly call: Call
  readonly resolve: (answer: KeyAnswer | Promise<KeyAnswer>) => void
}

/** The call that runs, and those that wait for its end, in their order. */
interface Holder {
  readonly call: Call
  readonly waiting: Array<Waiting>
}

interface Kept {
  readonly output: ToolOutput
  readonly bytes: number
  readonly expiresAt: number
}

/** Outputs that are kept in memory, and bytes of them all; the oldest are forgotten first. */
const maxKept = 10_000
const maxKeptBytes = 64 * 1024 * 1024

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
    // The parameters may have been edited since.
    if (call.key !== undefined && call.key !== key) this.end(call, undefined, 0)
    const holder = this.holders.get(key)
    if (holder !== undefined && holder.call !== call)
      return new Promise((resolve) => holder.waiting.push({ call, resolve }))
    return this.take(call, key, holder?.waiting ?? [])
  }

  /** A restored call goes on with its key. */
  reclaim(call: Call, key: string): void {
    call.key = key
    if (!this.holders.has(key)) this.holders.set(key, { call, waiting: [] })
  }

  /** What a call with this key would be answered now. */
  peek(key: string): ToolOutput | undefined | Promise<ToolOutput | undefined> {
    return this.journal === undefined ? this.find(key) : this.journal.keyOutput(key)
  }

  /** The call holds its key no more. `output`: undefined if it does not answer others, and the next one runs. */
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

  /** Lets the next call run that still waits. */
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
    // The call was cancelled meanwhile, and the store may have heard of that first.
    if (!call.isActive && !call.isLeft) journal.endKey(call, key, undefined, 0)
    return undefined
  }

  /** The output is known: nobody has to hold the key. */
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
