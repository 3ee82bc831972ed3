/** The watchers of one executor. Without watchers they cost nothing. */
import type { ToolCall } from "../model/call.ts"
import type { Decision } from "../model/decision.ts"
import type { ToolEvent } from "../model/event.ts"
import { tellAlone } from "../model/thenable.ts"
import type { Tracer } from "../tracing/tracer.ts"
import type { ExecutorWatcher } from "./watcher.ts"

/** A watcher, and its tracer, which is read once. */
interface Entry {
  readonly watcher: ExecutorWatcher
  readonly tracer: Tracer | undefined
}

/** The watchers of one executor, notified one after another. A watcher that throws does not affect the others. */
export class Watchers {
  /** One entry per addition, because the same watcher may be added twice. */
  private readonly entries = new Set<Entry>()
  private readonly own: ReadonlyArray<Tracer>
  /** A copy for iteration, rebuilt at the next event after a change, so that a watcher added meanwhile is not notified. */
  private listed: ReadonlyArray<ExecutorWatcher> | undefined
  /** A field and not a getter, like `tracers`, because every call reads it. */
  isEmpty = true
  /** The tracers for calls that start from here on; undefined if there are none. */
  tracers: ReadonlyArray<Tracer> | undefined

  /** @param own The executor's own tracer. */
  constructor(own?: Tracer) {
    this.own = own === undefined ? [] : [own]
    this.listTracers()
  }

  /** Adds a watcher. Returns a function that removes it. */
  add(watcher: ExecutorWatcher): () => void {
    const entry = { watcher, tracer: watcher.tracer }
    this.entries.add(entry)
    this.changed(entry)
    return () => {
      if (this.entries.delete(entry)) this.changed(entry)
    }
  }

  private changed({ tracer }: Entry): void {
    this.listed = undefined
    this.isEmpty = this.entries.size === 0
    if (tracer !== undefined) this.listTracers()
  }

  private listTracers(): void {
    const tracers = [...this.own]
    for (const { tracer } of this.entries) if (tracer !== undefined) tracers.push(tracer)
    this.tracers = tracers.length === 0 ? undefined : tracers
  }

  /** Notifies only one watcher. */
  alone(watcher: ExecutorWatcher): Watchers {
    const only = new Watchers()
    only.add(watcher)
    return only
  }

  queued(call: ToolCall): void {
    this.tell((watcher) => watcher.queued?.(call))
  }

  limited(call: ToolCall, because: string): void {
    this.tell((watcher) => watcher.limited?.(call, because))
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

  left(callId: string): void {
    this.tell((watcher) => watcher.left?.(callId))
  }

  turnBegan(agentId: string): void {
    this.tell((watcher) => watcher.turnBegan?.(agentId))
  }

  turnEnded(agentId: string): void {
    this.tell((watcher) => watcher.turnEnded?.(agentId))
  }

  private tell(how: (watcher: ExecutorWatcher) => unknown): void {
    this.listed ??= Array.from(this.entries, ({ watcher }) => watcher)
    for (const watcher of this.listed) tellAlone(() => how(watcher))
  }
}
