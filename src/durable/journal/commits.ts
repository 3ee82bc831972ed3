/**
 * When what has changed is stored: soon, and together. What waits for that is done afterwards, in order. Where the store fails it is
 * tried again, and all waits.
 */
import type { JournalStore } from "../store.ts"
import { closedError, closingError, FencedError, lostError, tellStoreError } from "../store-error.ts"
import type { Gathered, Taken } from "./gathered.ts"
import { Held } from "./held.ts"
import { isRefusal, type Refusal } from "./refusals.ts"

/** Who is told what has become of what was to be stored. */
export interface CommitsOptions {
  readonly store: JournalStore
  readonly gathered: Gathered
  /** Told when the store fails, and, with undefined, when it is there again. */
  readonly onStoreError: ((error: unknown) => void) | undefined
  readonly onStored: (taken: Taken) => void
  /** Calls may go on that had to wait. */
  readonly onReady: () => void
  /** Told what the store does not take: it is tried again without it. */
  readonly onRefused: (refusal: Refusal) => void
  /** Told once others run these calls: nothing is stored any more. */
  readonly onFenced: (() => void) | undefined
}

/** Numbers of events after which the last one is stored, though no event was: deltas have numbers, too. */
const sequenceStep = 25_000

/** Milliseconds between attempts to store. */
const retryAfter = 250

/** Milliseconds that what is found out again may wait to be stored. */
const storeLate = 100

/** What is being stored. */
interface Storing {
  readonly isUrgent: boolean
  /** Resolves when it is over, however it ended. */
  readonly over: Promise<void>
}

/** Stores what is gathered. */
export class Commits {
  private readonly options: CommitsOptions
  /** What is done once all before it is stored, in order. */
  private readonly held = new Held()
  private lastSequence: number
  /** The last one that is stored, or on its way. */
  private takenSequence: number
  /** Whether something has changed that has to be stored before the next handler runs. */
  private isUrgent = false
  private scheduled = false
  private storing: Storing | undefined
  private retry: NodeJS.Timeout | undefined
  private late: NodeJS.Timeout | undefined
  /** Whether what is on its way to the store is the last. */
  private isLast = false
  private closed = false

  constructor(options: CommitsOptions) {
    this.options = options
    this.lastSequence = options.store.firstSequence
    this.takenSequence = this.lastSequence
  }

  /** Whether nothing is stored any more. */
  get isClosed(): boolean {
    return this.closed
  }

  /** Whether anything waits until it may be done. */
  get isHolding(): boolean {
    return !this.held.isEmpty
  }

  /** Resolves once all that has changed so far is stored. */
  stored(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(closedError())
      this.after(resolve, reject)
      this.commit()
    })
  }

  /** Does it once all that has changed so far is stored. `lost`: told where that will never be. */
  after(act: () => void, lost?: (error: Error) => void): void {
    const isDirty = this.storing !== undefined || !this.options.gathered.isEmpty
    if (this.closed || (!isDirty && this.held.isEmpty)) return act()
    this.hold(act, lost)
  }

  /** Does it with what is stored next. */
  hold(act: () => void, lost?: (error: Error) => void): void {
    this.held.add(act, lost)
    this.schedule()
  }

  /** An event of this number was told. */
  told(sequence: number): void {
    this.lastSequence = Math.max(this.lastSequence, sequence)
    if (this.lastSequence <= this.takenSequence + sequenceStep) return
    this.takenSequence = this.lastSequence
    this.options.gathered.touch()
    this.schedule()
  }

  /** Whether all is stored that has to be before the next handler runs. It is by that, where the store takes no time. */
  isReady(): boolean {
    if (!this.isUrgent && this.storing?.isUrgent !== true) return true
    return this.commit()
  }

  /** What was gathered has to be stored before the next handler runs. */
  hurry(): void {
    this.isUrgent = true
    this.schedule()
  }

  /** What was gathered is stored in a later turn. */
  schedule(): void {
    if (this.scheduled || this.retry !== undefined || this.closed) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.commit()
    })
  }

  /** What would be found out again is stored with what would not, or else a little later. */
  scheduleLate(): void {
    if (this.late !== undefined || this.closed) return
    this.late = setTimeout(() => {
      this.late = undefined
      this.schedule()
    }, storeLate).unref()
  }

  /** Others run these calls. */
  fence(): void {
    if (this.closed) return
    this.abandon(new FencedError())
    this.options.onFenced?.()
  }

  async close(): Promise<void> {
    if (this.closed) return
    const wasAway = this.retry !== undefined
    this.stopRetry()
    if (this.storing !== undefined) await this.storing.over
    // A failure of that set the next attempt: it is made now, and is the last.
    this.stopRetry()
    if (this.commit() && wasAway) this.report(undefined)
    // What changes from now on is left: were it stored, who waits for it would be told that it is not.
    this.isLast = true
    // What is stored later than that is told of by itself.
    if (this.storing !== undefined) await this.storing.over
    this.abandon(this.retry === undefined ? closingError() : lostError())
    await this.options.store.close()
  }

  /**
   * Stores all that has changed, and then does what waits for it. False where it is not stored yet: because the store takes its
   * time, or because it fails, and is tried again.
   */
  private commit(): boolean {
    if (this.closed || this.isLast || this.retry !== undefined || this.storing !== undefined) return false
    const { gathered, store } = this.options
    const upTo = this.held.length
    if (!gathered.isEmpty) {
      const taken = gathered.take(this.lastSequence)
      this.takenSequence = this.lastSequence
      try {
        const storing = store.commit(taken.changes)
        if (storing !== undefined) {
          this.storeLater(taken, upTo, storing)
          return false
        }
      } catch (error) {
        gathered.putBack(taken, true)
        this.failed(error)
        return false
      }
      this.options.onStored(taken)
    }
    this.isUrgent = false
    this.held.release(upTo)
    return true
  }

  /** What changes meanwhile is stored next. */
  private storeLater(taken: Taken, upTo: number, storing: Promise<void>): void {
    const { isUrgent } = this
    const { gathered, onStored, onReady } = this.options
    this.isUrgent = false
    const over = storing.then(
      () => {
        this.storing = undefined
        onStored(taken)
        this.held.release(upTo)
        // Also where nothing has changed: who asked meanwhile waits for it.
        this.commit()
        onReady()
      },
      (error) => {
        this.storing = undefined
        if (isUrgent) this.isUrgent = true
        gathered.putBack(taken, isRefusal(error))
        this.failed(error)
      },
    )
    this.storing = { isUrgent, over }
  }

  private failed(error: unknown): void {
    if (error instanceof FencedError) return this.fence()
    if (isRefusal(error)) {
      this.options.onRefused(error)
      return this.schedule()
    }
    if (this.closed) return
    this.retry = setTimeout(() => {
      this.retry = undefined
      this.tryAgain()
    }, retryAfter)
    this.report(error)
  }

  private tryAgain(): void {
    const isStored = this.commit()
    if (isStored) {
      this.report(undefined)
      this.options.onReady()
    } else if (this.storing !== undefined) {
      void this.storing.over.then(() => this.retry === undefined && this.report(undefined))
    }
  }

  private report(error: unknown): void {
    tellStoreError(this.options.onStoreError, error)
  }

  /** Stores nothing any more. */
  private abandon(error: Error): void {
    this.closed = true
    this.stopRetry()
    clearTimeout(this.late)
    this.held.lose(error)
  }

  private stopRetry(): void {
    clearTimeout(this.retry)
    this.retry = undefined
  }
}
