/** Background tasks, as everyone sees them who has the store. */

import { textOf } from "../output/output.ts"
import type { CallSnapshot } from "../pipeline/call/snapshot.ts"
import { expectId, expectSignal, expectSignalOptions, expectText } from "../pipeline/model/got.ts"
import type { BackgroundTask, TaskStatus, WaitOptions } from "../tasks/background-tasks.ts"
import { PendingReads } from "./pending-reads.ts"
import type { CallStore } from "./store.ts"
import { closedError } from "./store-error.ts"

/** Background tasks of a store: those that run, and those that have ended, until they are taken. */
export interface DurableTasks {
  /** Undefined for one that is unknown, or was taken. */
  get(taskId: string): Promise<BackgroundTask | undefined>
  /** All, or those of one agent: finished ones first, in the order of their ending. */
  list(agentId?: string): Promise<Array<BackgroundTask>>
  /** A finished task, once: it is forgotten. Undefined for one that is unknown or still running. */
  take(taskId: string): Promise<BackgroundTask | undefined>
  /**
   * Resolves once the task has ended, without taking it; with undefined for an unknown one, and once `signal` is aborted, or the
   * store closed.
   */
  wait(taskId: string, options?: WaitOptions): Promise<BackgroundTask | undefined>
}

/** The tasks as they stand in the store, whoever runs them. */
export class StoredTasks implements DurableTasks {
  private readonly store: CallStore
  private readonly ask: (taskId: string) => Promise<unknown>
  private readonly ends: PendingReads<string, string | undefined>

  /** `ask`: takes a task. */
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

/** Undefined for what cannot be read: the others are told. */
const readable = (
  text: string,
  read: (text: string) => BackgroundTask | undefined,
): BackgroundTask | undefined => {
  try {
    return read(text)
  } catch {
    return undefined
  }
}

const finishedTask = (text: string): BackgroundTask | undefined =>
  (JSON.parse(text) as BackgroundTask | null) ?? undefined

/** A task that runs, as its call was stored the last time; undefined for one that has not begun. */
const runningTask = (text: string): BackgroundTask | undefined => {
  const { call, standing, again, createdAt = 0, startedAt, decidedBy } = JSON.parse(text) as CallSnapshot
  if ((standing ?? again)?.announced !== true) return undefined
  const status: TaskStatus = standing?.question === undefined ? "running" : "waiting"
  const { output, streamed = "" } = standing ?? {}
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
