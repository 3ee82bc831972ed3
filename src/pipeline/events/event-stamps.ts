/** Numbers and dates what one executor tells, whoever it tells it to. */
import type { Clock } from "effect/Clock"
import type { Watchers } from "../../watching/watchers.ts"
import type { ToolEvent } from "../model/event.ts"
import type { Mutable } from "../model/mutable.ts"

/** Where events are written down before they are told. */
export interface EventJournal {
  /** How many numbers were given before. */
  readonly firstSequence: number
  /** Writes an event down, and then has it given. Deltas are not written, but keep their place. */
  told(event: ToolEvent, give: () => void): void
  /** Does something once all that was told so far is stored. `lost`: told where the executor is left before. */
  after(act: () => void, lost?: (error: Error) => void): void
  /** Whether something that was told waits to be stored. */
  readonly isHolding: boolean
}

/** Numbers and dates the events of one executor. */
export class EventStamps {
  readonly journal: EventJournal | undefined
  private count: number
  private readonly clock: Clock | undefined
  private readonly watchers: Watchers

  /** Without a clock the system's is used. */
  constructor(clock: Clock | undefined, watchers: Watchers, journal: EventJournal | undefined) {
    this.clock = clock
    this.watchers = watchers
    this.journal = journal
    this.count = journal?.firstSequence ?? 0
  }

  /** Whether somebody looks on, beside whom the events are for. */
  get isWatched(): boolean {
    return !this.watchers.isEmpty
  }

  /** What is told again keeps the `seq` of 0: it is no new event. */
  date(event: Mutable<ToolEvent>): void {
    event.at = this.clock === undefined ? Date.now() : this.clock.currentTimeMillisUnsafe()
  }

  /** Events are made with `seq` and `at` of 0, so that no property has to be added here: every event pays for this. */
  stamp(event: Mutable<ToolEvent>): void {
    this.count += 1
    event.seq = this.count
    event.at = this.clock === undefined ? Date.now() : this.clock.currentTimeMillisUnsafe()
    if (!this.watchers.isEmpty) this.watchers.event(event)
  }
}
