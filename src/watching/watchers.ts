/** Those that watch one executor. Nobody pays for them where there are none. */
import type { ToolCall } from "../pipeline/model/call.ts"
import type { Decision } from "../pipeline/model/decision.ts"
import type { ToolEvent } from "../pipeline/model/event.ts"
import { tellAlone } from "../pipeline/model/thenable.ts"
import type { Tracer } from "../tracing/tracer.ts"
import type { ExecutorWatcher } from "./watcher.ts"

/** Those that are told, as they stand. */
interface Standing {
  readonly watchers: ReadonlyArray<ExecutorWatcher>
  readonly tracers: ReadonlyArray<Tracer> | undefined
}

/** The watchers of one executor, told one after another. One that throws costs the others nothing. */
export class Watchers {
  /** Each by an entry of its own: one may be there twice. */
  private entries: Set<{ readonly watcher: ExecutorWatcher }> | undefined
  private readonly own: ReadonlyArray<Tracer> | undefined
  /** Listed when they are next told, and not for each that comes or goes. Who comes while they are told is not among them. */
  private standing: Standing | undefined

  /** @param own The executor's own tracer. */
  constructor(own?: Tracer) {
    this.own = own && [own]
  }

  get isEmpty(): boolean {
    return this.entries === undefined
  }

  /** The tracers of calls that start from here on; undefined where there are none. */
  get tracers(): ReadonlyArray<Tracer> | undefined {
    return this.entries === undefined ? this.own : this.listed(this.entries).tracers
  }

  /** Gives what takes it out again. */
  add(watcher: ExecutorWatcher): () => void {
    const entry = { watcher }
    this.entries ??= new Set()
    this.entries.add(entry)
    this.standing = undefined
    return () => {
      if (this.entries?.delete(entry) !== true) return
      this.standing = undefined
      if (this.entries.size === 0) this.entries = undefined
    }
  }

  /** Tells one of them alone. */
  alone(watcher: ExecutorWatcher): Watchers {
    const only = new Watchers()
    only.add(watcher)
    return only
  }

  private listed(entries: Iterable<{ readonly watcher: ExecutorWatcher }>): Standing {
    if (this.standing !== undefined) return this.standing
    const watchers = Array.from(entries, ({ watcher }) => watcher)
    const tracers = watchers.flatMap(({ tracer }) => (tracer === undefined ? [] : [tracer]))
    const all = [...(this.own ?? []), ...tracers]
    this.standing = { watchers, tracers: all.length === 0 ? undefined : all }
    return this.standing
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
    if (this.entries === undefined) return
    for (const watcher of this.listed(this.entries).watchers) tellAlone(() => how(watcher))
  }
}
