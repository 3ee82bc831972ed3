/** Numbers and dates what one executor tells, whoever it tells it to. */
import type { Clock } from "effect/Clock"
import type { ToolEvent } from "../model/event.ts"
import type { Mutable } from "../model/mutable.ts"

/** Numbers and dates the events of one executor. */
export class EventStamps {
  private count = 0
  private readonly clock: Clock | undefined

  /** Without a clock the system's is used. */
  constructor(clock: Clock | undefined) {
    this.clock = clock
  }

  /** Events are made with `seq` and `at` of 0, so that no property has to be added here: every event pays for this. */
  stamp(event: Mutable<Pick<ToolEvent, "seq" | "at">>): void {
    this.count += 1
    event.seq = this.count
    event.at = this.clock === undefined ? Date.now() : this.clock.currentTimeMillisUnsafe()
  }
}
