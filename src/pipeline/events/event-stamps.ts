/** Numbers and dates what one executor tells, whoever it tells it to. */
import type { Clock } from "effect/Clock"
import type { ToolEvent } from "../model/event.ts"
import type { Mutable } from "../model/mutable.ts"
import { Watchers } from "./watchers.ts"

/** Numbers and dates the events of one executor. */
export class EventStamps {
  private count = 0
  private readonly clock: Clock | undefined
  private readonly watchers: Watchers

  /** Without a clock the system's is used. */
  constructor(clock: Clock | undefined, watchers: Watchers = new Watchers()) {
    this.clock = clock
    this.watchers = watchers
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
    this.date(event)
    if (!this.watchers.isEmpty) this.watchers.event(event)
  }
}
