/** Background tasks of a store, for every process that has it open. */

import { expectId, expectSignal, expectSignalOptions, expectText } from "../model/got.ts"
import { textOf } from "../output/output.ts"
import { current } from "../snapshots/check-snapshot.ts"
import type { BackgroundTask, TaskStatus, WaitOptions } from "../tasks/background-tasks.ts"
import { readable } from "./inbox.ts"
import { PendingReads } from "./pending-reads.ts"
import type { CallStore } from "./store.ts"
import { closedError } from "./store-error.ts"

/** The running background tasks, and the ended ones until they are taken. */
export interface DurableTasks {
  /** Undefined for a task that is unknown or already taken. */
  get(taskId: string): Promise<BackgroundTask | undefined>
  /** All tasks, or those of one agent: finished tasks first, in the order of their ends. */
  list(agentId?: string): Promise<Array<BackgroundTask>>
  /** Returns a finished task and removes it. Undefined for a task that is unknown or still running. */
  take(taskId: string): Promise<BackgroundTask | undefined>
  /**
   * Resolves with the task once it has ended, without taking it. Resolves with undefined for an unknown task, and when `signal` is
   * aborted or the store is closed.
   */
  wait(taskId: string, options?: WaitOptions): Promise<BackgroundTask | undefined>
}

/** Reads tasks from the store, whichever process runs them. */
export class StoredTasks implements DurableTasks {
  private readonly store: CallStore
  private readonly ask: (taskId: string) => Promise<unknown>
  private readonly ends: PendingReads<string, string | undefined>

  /** `ask` requests a finished task, which is then removed. */
  constructor(store: CallStore, ask: (taskId: string) => Promise<unknown>) {
    this.store = store
    this.ask = ask
    this.ends = new PendingReads(store, (taskIds) => store.endedTasks(taskIds))
  }

  async get(taskId: string): Promise<BackgroundTask | undefined> {
    expectId("task", taskId)
    return (await this.read({ taskId }))[0]
  }

  async list(agentId?: string): Promise<Array<BackgroundTask>> {
    expectText("agentId", agentId)
    return this.read({ agentId })
  }

  async take(taskId: string): Promise<BackgroundTask | undefined> {
    expectId("task", taskId)
    if ((await this.store.tasks({ taskId })).finished.length === 0) return undefined
    return ((await this.ask(taskId)) || undefined) as BackgroundTask | undefined
  }

  async wait(taskId: string, options: WaitOptions = {}): Promise<BackgroundTask | undefined> {
    expectId("task", taskId)
    expectSignalOptions("wait", options)
    const { signal } = options
    expectSignal(signal)
    if (this.store.isClosed) throw closedError()
    const text = await this.ends.of(taskId, signal)
    return text === undefined ? undefined : readable(text, finishedTask)
  }

  private async read(query: Parameters<CallStore["tasks"]>[0]): Promise<Array<BackgroundTask>> {
    const { finished, open } = await this.store.tasks(query)
    return [
      ...finished.flatMap((text) => readable(text, finishedTask) ?? []),
      ...open.flatMap((text) => readable(text, runningTask) ?? []),
    ]
  }
}

const finishedTask = (text: string): BackgroundTask | undefined =>
  (JSON.parse(text) as BackgroundTask | null) ?? undefined

/** A running task, from the last stored snapshot of its call; undefined for a call that has not begun. */
const runningTask = (text: string): BackgroundTask | undefined => {
  const snapshot = current(JSON.parse(text))
  const { call, state, announced, createdAt = 0, startedAt, decidedBy, output, streamed = "" } = snapshot
  if (announced !== "yes") return undefined
  const status: TaskStatus = state._tag === "Asking" ? "waiting" : "running"
  return {
    id: call.callId,
    agentId: call.agentId,
    name: call.name,
    params: call.params,
    status,
    content: output === undefined ? streamed : textOf(output),
    createdAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(decidedBy !== undefined && { decidedBy }),
  }
}
