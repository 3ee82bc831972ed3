/** Sets the sequence number and the date of every event of an executor, for all receivers. */
import type { Clock } from "effect/Clock"
import type { ToolEvent } from "../../model/event.ts"
import type { Mutable } from "../../model/mutable.ts"
import type { Watchers } from "../../watching/watchers.ts"

/** Stores events before they are delivered. */
export interface EventJournal {
  /** The number of events in earlier processes. */
  readonly firstSequence: number
  /** Stores an event, and then delivers it. Deltas are not stored, but stay in order. */
  told(event: ToolEvent, give: () => void): void
  /** Calls a function once all events so far are stored. `lost` is called instead if the executor shuts down first. */
  after(act: () => void, lost?: (error: Error) => void): void
  /** Whether an event waits to be stored. */
  readonly isHolding: boolean
}

/** Numbers and dates the events of one executor. */
export class EventStamps {
  readonly journal: EventJournal | undefined
  /** The number of the last event. */
  last: number
  private readonly clock: Clock | undefined
  private readonly watchers: Watchers

  /** Default clock: the system clock. */
  constructor(clock: Clock | undefined, watchers: Watchers, journal: EventJournal | undefined) {
    this.clock = clock
    this.watchers = watchers
    this.journal = journal
    this.last = journal?.firstSequence ?? 0
  }

  /** Whether there are watchers besides the events' receiver. */
  get isWatched(): boolean {
    return !this.watchers.isEmpty
  }

  /** Dates an event that is repeated for a watcher. Its `seq` is unchanged, because the event is not new. */
  date(event: Mutable<ToolEvent>): void {
    event.at = this.clock === undefined ? Date.now() : this.clock.currentTimeMillisUnsafe()
  }

  /** Stamps an event. Events are created with `seq` and `at` of 0, because adding properties would be slower for every event. */
  stamp(event: Mutable<ToolEvent>): void {
    this.last += 1
    event.seq = this.last
    // The `at` of `GateExpiring` is the time at which the gate ends.
    if (event._tag !== "GateExpiring")
      event.at = this.clock === undefined ? Date.now() : this.clock.currentTimeMillisUnsafe()
    if (!this.watchers.isEmpty) this.watchers.event(event)
  }
}
