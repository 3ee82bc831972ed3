/** Those that watch one executor. Nobody pays for them where there are none. */
import type { ToolCall } from "../model/call.ts"
import type { Decision } from "../model/decision.ts"
import type { ToolEvent } from "../model/event.ts"
import { leaveAlone } from "../model/thenable.ts"
import type { Tracer } from "../model/tracer.ts"
import type { ExecutorWatcher } from "../model/watcher.ts"

/** The watchers of one executor, told one after another. One that throws costs the others nothing. */
export class Watchers {
  private list: ReadonlyArray<ExecutorWatcher> = []
  private readonly own: ReadonlyArray<Tracer>
  /** The tracers of calls that start from here on; undefined where there are none. */
  tracers: ReadonlyArray<Tracer> | undefined

  /** @param own The executor's own tracer. */
  constructor(own?: Tracer) {
    this.own = own === undefined ? [] : [own]
    this.tracers = own === undefined ? undefined : this.own
  }

  get isEmpty(): boolean {
    return this.list.length === 0
  }

  /** Gives what takes it out again. */
  add(watcher: ExecutorWatcher): () => void {
    this.set([...this.list, watcher])
    return () => this.set(this.list.filter((other) => other !== watcher))
  }

  /** Tells one of them alone. */
  alone(watcher: ExecutorWatcher): Watchers {
    const only = new Watchers()
    only.add(watcher)
    return only
  }

  private set(list: ReadonlyArray<ExecutorWatcher>): void {
    this.list = list
    const tracers = list.flatMap(({ tracer }) => (tracer === undefined ? [] : [tracer]))
    const all = [...this.own, ...tracers]
    this.tracers = all.length === 0 ? undefined : all
  }

  queued(call: ToolCall): void {
    this.tell((watcher) => watcher.queued?.(call))
  }

  event(event: ToolEvent): void {
    this.tell((watcher) => watcher.event?.(event))
  }

  decided(decision: Decision): void {
    this.tell((watcher) => watcher.decided?.(decision))
  }

  forgotten(taskId: string): void {
    this.tell((watcher) => watcher.forgotten?.(taskId))
  }

  private tell(how: (watcher: ExecutorWatcher) => unknown): void {
    for (const watcher of this.list) {
      try {
        leaveAlone(how(watcher))
      } catch {
        // Calls go on, whatever those do who look on.
      }
    }
  }
}
