/**
 * Decides when changes are stored: soon, and in batches. Acts that wait for a commit run after it, in order. If the store fails,
 * the commit is tried again, and all acts wait.
 */
import type { JournalStore } from "../store.ts"
import {
  closedError,
  closingError,
  FencedError,
  lostError,
  RefusedError,
  tellStoreError,
} from "../store-error.ts"
import type { Gathered, Taken } from "./gathered.ts"
import { Held } from "./held.ts"

/** The store, the changes and the callbacks of `Commits`. */
export interface CommitsOptions {
  readonly store: JournalStore
  readonly gathered: Gathered
  /** Called with the error when the store fails, and with undefined once it works again. */
  readonly onStoreError: ((error: unknown) => void) | undefined
  readonly onStored: (taken: Taken) => void
  /** Called when calls that had to wait may continue. */
  readonly onReady: () => void
  /** Called when the store refuses calls. The commit is tried again without them. */
  readonly onRefused: (refusal: RefusedError) => void
  /** Called once other processes run these calls: after that, nothing is stored. */
  readonly onFenced: (() => void) | undefined
}

/** Deltas are numbered but not stored: after this many numbers, the last number is stored by itself. */
const sequenceStep = 25_000

/** Milliseconds between attempts to store. */
const retryAfter = 250

/** The milliseconds that a change may wait if a restart would produce it again. */
const storeLate = 100

/** Stores the gathered changes. */
export class Commits {
  private readonly options: CommitsOptions
  /** Acts that run, in order, once everything before them is stored. */
  private readonly held = new Held()
  private lastSequence: number
  /** The last number that is stored or being stored. */
  private takenSequence: number
  /** The number of the commit that stores the changes being gathered now. */
  private next = 1
  /** The number of the last commit that has succeeded. */
  private done = 0
  /** The commit that any call has to wait for. */
  private urgent = 0
  private scheduled = false
  /** The changes of the current commit; `over` resolves when it has succeeded or failed. */
  private storing: { readonly taken: Taken; readonly over: Promise<void> } | undefined
  private retry: NodeJS.Timeout | undefined
  private late: NodeJS.Timeout | undefined
  /** Whether no further commit may begin. */
  private isLast = false
  /** Whether no further changes are stored. */
  isClosed = false

  constructor(options: CommitsOptions) {
    this.options = options
    this.lastSequence = options.store.firstSequence
    this.takenSequence = this.lastSequence
  }

  /** Whether any act waits for a commit. */
  get isHolding(): boolean {
    return !this.held.isEmpty
  }

  /** The agents with changes that are not stored yet; undefined if these may be of any agent. */
  unsettled(): Set<string> | undefined {
    return this.options.gathered.agentIds(this.storing?.taken)
  }

  /** Resolves once all changes so far are stored. */
  stored(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(closedError())
      this.after(resolve, reject)
    })
  }

  /** Calls `act` once all changes so far are stored, and `lost` if they never will be. */
  after(act: () => void, lost?: (error: Error) => void): void {
    const isDirty = this.storing !== undefined || !this.options.gathered.isEmpty
    if (this.isClosed || (!isDirty && this.held.isEmpty)) return act()
    this.hold(act, lost)
  }

  /** Calls `act` after the next commit. */
  hold(act: () => void, lost?: (error: Error) => void): void {
    this.held.add(act, lost)
    this.schedule()
  }

  /** Records the number of an emitted event. */
  told(sequence: number): void {
    this.lastSequence = Math.max(this.lastSequence, sequence)
    if (this.lastSequence <= this.takenSequence + sequenceStep) return
    this.takenSequence = this.lastSequence
    this.options.gathered.touch()
    this.schedule()
  }

  /** Whether this commit, and every commit that all calls wait for, has succeeded. If not, `onReady` is called later. */
  isReady(commit = 0): boolean {
    return Math.max(commit, this.urgent) <= this.done
  }

  /** Stores the gathered changes soon. Returns the number of the commit, for the call that has to wait for it. */
  markUrgent(): number {
    this.schedule()
    return this.next
  }

  /** Requires the gathered changes to be stored before any handler runs. */
  blockAll(): void {
    this.urgent = this.markUrgent()
  }

  /** Stores the gathered changes in a later turn of the event loop. */
  schedule(): void {
    if (this.scheduled || this.retry !== undefined || this.isClosed) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      if (this.commit()) this.options.onReady()
    })
  }

  /** Stores changes that a restart would produce again: with the next commit, or a little later. */
  scheduleLate(): void {
    if (this.late !== undefined || this.isClosed) return
    this.late = setTimeout(() => {
      this.late = undefined
      this.schedule()
    }, storeLate).unref()
  }

  /** Stops: other processes run these calls. */
  fence(): void {
    if (this.isClosed) return
    this.abandon(new FencedError())
    this.options.onFenced?.()
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    const wasAway = this.retry !== undefined
    this.stopRetry()
    await this.storing?.over
    // A failed commit has set a timer for the next attempt. That attempt is made here, and is the last.
    this.stopRetry()
    if (this.commit() && wasAway) this.report(undefined)
    // Later changes are not stored: the acts that wait for them are reported as lost.
    this.isLast = true
    // The current commit runs its own acts when it succeeds.
    await this.storing?.over
    this.abandon(this.retry === undefined ? closingError() : lostError())
    await this.options.store.close()
  }

  /**
   * Stores all changes, then runs the acts that wait for them. Returns false if they are not stored yet: the store is
   * asynchronous, or has failed and is tried again.
   */
  private commit(): boolean {
    if (this.isClosed || this.isLast || this.retry !== undefined || this.storing !== undefined) return false
    const { gathered, store } = this.options
    const upTo = this.held.length
    const number = this.next
    this.next += 1
    if (!gathered.isEmpty) {
      const taken = gathered.take(this.lastSequence)
      this.takenSequence = this.lastSequence
      try {
        const storing = store.commit(taken.changes)
        if (storing !== undefined) {
          this.storeLater(taken, number, upTo, storing)
          return false
        }
      } catch (error) {
        gathered.putBack(taken, true)
        this.failed(error)
        return false
      }
      this.options.onStored(taken)
    }
    this.done = number
    this.held.release(upTo)
    return true
  }

  /** Waits for an asynchronous commit. Changes that arrive meanwhile are stored next. */
  private storeLater(taken: Taken, number: number, upTo: number, storing: Promise<void>): void {
    const { gathered, onStored, onReady } = this.options
    const over = storing.then(
      () => {
        this.storing = undefined
        this.done = number
        onStored(taken)
        this.held.release(upTo)
        // Even without changes: acts that were added in the meantime wait for a commit.
        this.commit()
        onReady()
      },
      (error) => {
        this.storing = undefined
        gathered.putBack(taken, error instanceof RefusedError)
        this.failed(error)
      },
    )
    this.storing = { taken, over }
  }

  private failed(error: unknown): void {
    if (error instanceof FencedError) return this.fence()
    if (error instanceof RefusedError) {
      this.options.onRefused(error)
      return this.schedule()
    }
    if (this.isClosed) return
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

  /** Stops for good. Acts that still wait are lost. */
  private abandon(error: Error): void {
    this.isClosed = true
    this.stopRetry()
    clearTimeout(this.late)
    this.held.lose(error)
  }

  private stopRetry(): void {
    clearTimeout(this.retry)
    this.retry = undefined
  }
}
