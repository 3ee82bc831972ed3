/** Background tasks by id (the call id): running tasks, and finished tasks until they are taken or dropped. */

import { byUser, type CancellingParty } from "../model/decision.ts"
import type { FinalStatus, TaskEnd, TerminalEvent } from "../model/event.ts"
import { expectId, expectSignal, expectSignalOptions, expectText } from "../model/got.ts"
import type { Mutable } from "../model/mutable.ts"
import { addTaskEnd, resultOf, statusOf } from "../model/outcome.ts"
import type { Settings } from "../model/settings.ts"
import { type ToolOutput, textOf } from "../output/output.ts"
import { type Call, createdAt } from "../pipeline/call/call.ts"
import type { ActiveCalls } from "../pipeline/call/calls.ts"
import type { EventJournal } from "../pipeline/events/event-stamps.ts"
import { Fifo } from "../pipeline/schedule/fifo.ts"
import type { Deadlines } from "../pipeline/time/deadlines.ts"
import type { Watchers } from "../watching/watchers.ts"
import { OutputReads } from "./output-reads.ts"
import { TaskWaiters } from "./task-waiters.ts"

/** The status of a task. `pending`: it waits for a place in the pool. `waiting`: it waits for the host. */
export type TaskStatus = "pending" | "running" | "waiting" | FinalStatus

/** A background task as hosts see it. Plain JSON. */
export interface BackgroundTask extends TaskEnd {
  /** The call id. */
  readonly id: string
  readonly agentId: string
  readonly name: string
  readonly params: unknown
  readonly status: TaskStatus
  /** The text of the result; for a running task, its output so far. */
  readonly content: string
  /** Set once the task has ended. */
  readonly output?: ToolOutput
  /** When the task was enqueued, in epoch milliseconds. */
  readonly createdAt: number
  readonly startedAt?: number
  readonly endedAt?: number
}

interface FinishedTask {
  readonly task: BackgroundTask
  readonly endedAt: number
}

/** The text of a status: `Running`, `Complete`, … */
export const capitalized = (status: string): string => status[0]!.toUpperCase() + status.slice(1)

const statusNow = ({ state, place }: Call): TaskStatus => {
  if (state._tag === "Asking") return "waiting"
  return place === "asked" ? "pending" : "running"
}

const outputSoFar = ({ output, stream }: Call): string =>
  output === undefined ? (stream?.transcript.toString() ?? "") : textOf(output)

/** Set one by one: for most tasks, the last properties are absent. */
const taskOf = (call: Call, status: TaskStatus, content: string, now: number): Mutable<BackgroundTask> => {
  const { callId: id, agentId, name, params } = call.toolCall
  const { startedAt, decidedBy } = call
  const task: Mutable<BackgroundTask> = {
    id,
    agentId,
    name,
    params,
    status,
    content,
    createdAt: createdAt(call, now),
  }
  if (startedAt !== undefined) task.startedAt = startedAt
  if (decidedBy !== undefined) task.decidedBy = decidedBy
  return task
}

/** The dependencies of an executor's tasks. */
interface BackgroundTasksOptions {
  readonly settings: Pick<Settings, "taskTtl" | "maxTasks">
  readonly deadlines: Deadlines
  /** Background calls that have not ended are tasks too, also while they wait for their turn or at the gate before their start. */
  readonly calls: ActiveCalls
  readonly watchers: Watchers
  /** Whether an agent's model may call the tool of this name. */
  readonly mayCall: (agentId: string, toolName: string) => boolean
  readonly cancel: (call: Call, reason: string | undefined, by: CancellingParty) => boolean
  /** Stores the results of durable tasks. */
  readonly journal: TaskJournal | undefined
}

/** Stores the results of tasks. */
export interface TaskJournal extends Pick<EventJournal, "after"> {
  /** A task has ended, and its result is kept from here on. */
  kept(task: BackgroundTask): void
  /** The result of a task was taken or dropped. */
  forgot(taskId: string): void
}

/** Options of `wait`. */
export interface WaitOptions {
  /** Ends the wait when it is aborted. */
  readonly signal?: AbortSignal
}

/** The background tasks of one executor. Finished ones are kept for `taskTtl`, at most `maxTasks` of them. */
export class BackgroundTasks {
  private readonly running = new Map<string, Call>()
  private readonly finished = new Map<string, FinishedTask>()
  /** The ids of `finished`, in the order in which the tasks ended. */
  private readonly order = new Fifo<string>()
  /** The agents of tasks whose results were dropped unread, and their ids in the order in which they were dropped. */
  private readonly expiredAgents = new Map<string, string>()
  private readonly expired = new Fifo<string>()
  private readonly waiters: TaskWaiters<BackgroundTask>
  private readonly reads = new OutputReads()
  private readonly options: BackgroundTasksOptions

  constructor(options: BackgroundTasksOptions) {
    this.options = options
    this.waiters = new TaskWaiters(options.journal)
  }

  /** @internal */
  has(id: string): boolean {
    if (this.running.size === 0 && this.finished.size === 0) return false
    if (this.finished.has(id)) this.dropOld()
    return this.running.has(id) || this.finished.has(id)
  }

  /** @internal Whether the agent's model may call the tool of this name, such as one that takes results. */
  mayCall(agentId: string, toolName: string): boolean {
    return this.options.mayCall(agentId, toolName)
  }

  /** All tasks, or those of one agent: finished tasks first, in the order in which they ended. */
  list(agentId?: string): Array<BackgroundTask> {
    expectText("agentId", agentId)
    this.dropOld()
    const tasks = [
      ...[...this.finished.values()].map((entry) => entry.task),
      ...[...this.running.values()].map((call) => this.snapshot(call)),
    ]
    return agentId === undefined ? tasks : tasks.filter((task) => task.agentId === agentId)
  }

  get(id: string): BackgroundTask | undefined {
    expectId("task", id)
    this.dropOld()
    const run = this.running.get(id)
    return run === undefined ? this.finished.get(id)?.task : this.snapshot(run)
  }

  /** Takes a finished task: returns and removes it. Undefined for a task that is unknown or still running. */
  take(id: string): BackgroundTask | undefined {
    expectId("task", id)
    this.dropOld()
    const task = this.finished.get(id)?.task
    this.forget(id)
    return task
  }

  /**
   * Resolves once the task has ended, without taking it. Also waits for a background call that has not started. Resolves to undefined
   * for an unknown id, for a call that ended before it became a task (see its terminal event), once `signal` is aborted, and if
   * another process continues the task.
   */
  wait(id: string, options: WaitOptions = {}): Promise<BackgroundTask | undefined> {
    expectId("task", id)
    expectSignalOptions("wait", options)
    const { signal } = options
    expectSignal(signal)
    const task = this.get(id)
    const isOver = task === undefined ? this.starting(id) === undefined : this.finished.has(id)
    if (isOver) return this.waiters.told(task)
    return this.waiters.wait(id, signal)
  }

  /** Cancels a task. Returns true if the task was running or waiting to run. */
  cancel(id: string, reason?: string): boolean {
    expectId("task", id)
    return this.cancelBy(byUser, id, reason)
  }

  /** @internal Cancels a task for a party other than the host. */
  cancelBy(by: CancellingParty, id: string, reason?: string): boolean {
    const call = this.starting(id)
    return call !== undefined && this.options.cancel(call, reason, by)
  }

  /** @internal */
  started(call: Call): void {
    const { callId } = call.toolCall
    this.forgetExpired(callId)
    this.running.set(callId, call)
  }

  /** @internal */
  ended(call: Call, event: TerminalEvent): void {
    const { callId } = call.toolCall
    const { deadlines } = this.options
    const { content, output } = resultOf(event)
    const time = deadlines.time()
    const task = taskOf(call, statusOf(event), content, time)
    task.output = output
    task.endedAt = time
    addTaskEnd(task, event)
    this.reads.keepUnread(call, content)
    this.running.delete(callId)
    const endedAt = deadlines.now()
    this.keep(task, endedAt)
    this.dropOld(endedAt)
    this.waiters.answer(callId, task)
  }

  /** A background call that has not ended. */
  private starting(id: string): Call | undefined {
    const call = this.options.calls.get(id)
    return call?.toolCall.background === true ? call : undefined
  }

  private snapshot(call: Call): BackgroundTask {
    return taskOf(call, statusNow(call), outputSoFar(call), this.options.deadlines.time())
  }

  private keep(task: BackgroundTask, endedAt: number): void {
    this.finished.set(task.id, { task, endedAt })
    this.order.add(task.id)
    this.options.journal?.kept(task)
  }

  /** @internal The result of a task that ended in an earlier process. */
  putBack(task: BackgroundTask): void {
    const { deadlines } = this.options
    this.keep(task, deadlines.now() - Math.max(0, deadlines.time() - (task.endedAt ?? 0)))
  }

  /** @internal The call has ended, whether it became a task or not. */
  over(callId: string): void {
    this.waiters.answer(callId, undefined)
  }

  /** @internal Whether a background call of the agent waits for its start. */
  isStarting(agentId: string, id: string): boolean {
    return this.starting(id)?.toolCall.agentId === agentId
  }

  /** @internal Whether the result of a task of the agent was dropped unread. */
  hasExpired(agentId: string, id: string): boolean {
    this.dropOld()
    return this.expiredAgents.get(id) === agentId
  }

  /** @internal The output of a task since the last read. */
  readOutput(id: string): string {
    const run = this.running.get(id)
    return run === undefined
      ? this.reads.ended(id, this.finished.get(id)?.task.content)
      : this.reads.running(id, run)
  }

  /** @internal Another process continues the call, whether it had become a task or not. */
  left(callId: string): void {
    this.running.delete(callId)
    this.over(callId)
  }

  /** @internal Ends all waits, because another process continues the running tasks. */
  leave(): void {
    this.running.clear()
    this.waiters.leave()
  }

  private forget(id: string): void {
    if (this.finished.delete(id)) {
      this.options.watchers.forgotten(id)
      this.options.journal?.forgot(id)
    }
    this.order.delete(id)
    // The result stays readable until it is taken.
    this.reads.forget(id)
  }

  private forgetExpired(id: string): void {
    this.expired.delete(id)
    this.expiredAgents.delete(id)
  }

  /** Drops expired results at each access, so that no timer is needed. The number of results is limited in any case. */
  private dropOld(now = this.options.deadlines.now()): void {
    const { taskTtl, maxTasks: max } = this.options.settings
    const oldest = now - taskTtl
    for (let id = this.order.first(); id !== undefined; id = this.order.first()) {
      if (this.finished.size <= max && this.finished.get(id)!.endedAt > oldest) break
      this.expiredAgents.set(id, this.finished.get(id)!.task.agentId)
      this.expired.add(id)
      this.forget(id)
      if (this.expired.size > max) this.forgetExpired(this.expired.first()!)
    }
  }
}
