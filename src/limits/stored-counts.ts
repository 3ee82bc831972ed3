/**
 * Counts calls at their limits in a store, so that counts survive their process, and all processes of the store share them. Calls
 * that find a limit full wait in line: only the first of them asks the store again, once there may be room.
 */
import type { Call } from "../pipeline/call/call.ts"
import type { Deadlines } from "../pipeline/time/deadlines.ts"
import type { LimitKind } from "./limits.ts"

/** The cost of a call at one limit. */
export interface LimitUse {
  readonly kind: LimitKind
  /** Identifies the count: the limit, and its agent or turn. */
  readonly key: string
  readonly cost: number
  readonly max: number
  /**
   * For a rate: for how many milliseconds a use counts, and how many milliseconds share a row, whose uses all count as its last
   * one.
   */
  readonly rate?: { readonly per: number; readonly part: number }
}

/** A limit that has no room for a call. */
export interface FullLimit {
  /** Its index among the uses of the call. */
  readonly index: number
  /** The milliseconds until there may be room; undefined if they cannot be predicted. */
  readonly wait?: number
  /** Resolves once there may be room, or the signal is aborted. */
  readonly freed?: (signal: AbortSignal) => Promise<void>
}

/** Stores the uses that calls count at limits. */
export interface LimitJournal {
  /** Whether other processes run calls of the store. If not, the running calls are those of this process. */
  readonly isShared: boolean
  /** Counts a call at all of its limits; or at none, if one of them is full, and returns that one. */
  takeUses(call: Call, uses: ReadonlyArray<LimitUse>): Promise<FullLimit | undefined>
  /** Stops counting a call that has not ended among the running ones. */
  leaveUses(call: Call): void
}

/** A call that asks for its places. */
export interface LimitAsk {
  readonly call: Call
  readonly uses: ReadonlyArray<LimitUse>
  /** Aborted when the call no longer wants the places. */
  readonly signal: AbortSignal
  /** Called with the limit that the call waits at. */
  readonly onFull: (full: FullLimit) => void
}

const waits = ({ kind }: LimitUse): boolean => kind === "concurrency" || kind === "rate"

/** The limits of one executor that are counted in its store. */
export class StoredCounts {
  private readonly journal: LimitJournal
  private readonly deadlines: Deadlines
  /** By the key of a use: a promise that resolves once the last call in its line has its places. */
  private readonly lines = new Map<string, Promise<unknown>>()

  get isShared(): boolean {
    return this.journal.isShared
  }

  constructor(journal: LimitJournal, deadlines: Deadlines) {
    this.journal = journal
    this.deadlines = deadlines
  }

  /** Resolves once the call has its places, or with the limit that is used up. */
  async take(ask: LimitAsk): Promise<FullLimit | undefined> {
    const keys = ask.uses.filter(waits).map(({ key }) => key)
    if (keys.some((key) => this.lines.has(key))) return this.inLine(ask, keys)
    const full = await this.ask(ask)
    return full !== undefined && waits(ask.uses[full.index]!) ? this.inLine(ask, keys, full) : full
  }

  /** Stops counting a call among the running ones, because it asks for its place again. */
  leave(call: Call): void {
    this.journal.leaveUses(call)
  }

  private ask({ call, uses }: LimitAsk): Promise<FullLimit | undefined> {
    return this.journal.takeUses(call, uses)
  }

  private async inLine(
    ask: LimitAsk,
    keys: ReadonlyArray<string>,
    full?: FullLimit,
  ): Promise<FullLimit | undefined> {
    const ahead = keys.flatMap((key) => this.lines.get(key) ?? [])
    const taking = Promise.allSettled(ahead).then(() => this.untilTaken(ask, full))
    for (const key of keys) this.lines.set(key, taking)
    try {
      return await taking
    } finally {
      for (const key of keys) if (this.lines.get(key) === taking) this.lines.delete(key)
    }
  }

  private async untilTaken(ask: LimitAsk, first: FullLimit | undefined): Promise<FullLimit | undefined> {
    const { signal, uses, onFull } = ask
    for (let full = first; !signal.aborted; ) {
      if (full !== undefined) {
        onFull(full)
        await (full.freed?.(signal) ?? this.deadlines.sleep(full.wait ?? 0, signal))
        if (signal.aborted) break
      }
      full = await this.ask(ask)
      if (full === undefined || !waits(uses[full.index]!)) return full
    }
    return undefined
  }
}
