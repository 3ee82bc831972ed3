/** The effects that the executor answers itself: those of the tools that list, collect, await, read and cancel background tasks. */
import { byModel } from "../model/decision.ts"
import type { HostEffect } from "../model/host-effect.ts"
import { type BackgroundTasks, capitalized } from "./background-tasks.ts"

/** Resolves after this many milliseconds, or once the signal is aborted. */
export type Sleep = (millis: number, signal: AbortSignal) => Promise<void>

/** An answer, or a function that waits for one. */
export type TaskAnswer = string | ((sleep: Sleep, signal: AbortSignal) => Promise<string>)

/** The default waiting time of `wait_background_task` in seconds. */
const defaultWait = 30

/** Whether the executor answers this effect itself. */
export const isOfTasks = (effect: HostEffect): boolean => answers.has(effect?._tag)

/** The answer to an effect about the agent's tasks. Undefined for any other effect. Agents see only their own tasks. */
export const answerOfTasks = (
  tasks: BackgroundTasks,
  agentId: string,
  effect: HostEffect,
): TaskAnswer | undefined => {
  const { taskId, seconds } = effect as { readonly taskId?: unknown; readonly seconds?: unknown }
  return answers.get(effect._tag)?.(tasks, agentId, String(taskId), seconds)
}

const list = (tasks: BackgroundTasks, agentId: string): string => {
  const lines = tasks.list(agentId).map(({ id, name, status }) => head(id, name, status))
  return lines.length === 0 ? "No background tasks" : lines.join("\n")
}

const head = (id: string, name: string, status: string): string => `${id} (${name}) [${capitalized(status)}]`

const expired = (id: string): string => `Task ${id} expired`

const unknown = (tasks: BackgroundTasks, agentId: string, id: string): string =>
  tasks.hasExpired(agentId, id) ? expired(id) : `Task ${id} not found`

const own = (tasks: BackgroundTasks, agentId: string, id: string) => {
  const task = tasks.get(id)
  return task?.agentId === agentId ? task : undefined
}

/** Collects a task: returns its result, and removes it. */
const collect = (tasks: BackgroundTasks, agentId: string, id: string): string => {
  if (tasks.hasExpired(agentId, id)) return expired(id)
  const taken = own(tasks, agentId, id) && tasks.take(id)
  if (taken === undefined) return `Task ${id} not found or still running`
  return `Task ${head(id, taken.name, taken.status)}:\n${taken.content}`
}

/**
 * The result of a task, which is then removed, or a note that the task is still running. Also waits for a task that has not
 * started.
 */
const wait = (tasks: BackgroundTasks, agentId: string, id: string, given: unknown): TaskAnswer => {
  const seconds = typeof given === "number" ? given : defaultWait
  const isThere = own(tasks, agentId, id) !== undefined || tasks.isStarting(agentId, id)
  if (!isThere) return unknown(tasks, agentId, id)
  return async (sleep, signal) => {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    await Promise.race([tasks.wait(id, { signal: either }), sleep(Math.max(0, seconds) * 1000, either)])
    over.abort()
    // The waiting call was cancelled: its answer is not read, so the result stays for another reader.
    if (signal.aborted) return ""
    const task = own(tasks, agentId, id)
    if (task?.endedAt !== undefined) return collect(tasks, agentId, id)
    if (task === undefined && !tasks.isStarting(agentId, id)) return unknown(tasks, agentId, id)
    const status = task === undefined ? "waiting" : task.status
    return `Task ${id} has not ended within ${seconds} s [${capitalized(status)}]`
  }
}

/** The output since the last read. The task is kept. */
const read = (tasks: BackgroundTasks, agentId: string, id: string): string => {
  const task = own(tasks, agentId, id)
  if (task === undefined) {
    return tasks.isStarting(agentId, id) ? `Task ${id} has not started` : unknown(tasks, agentId, id)
  }
  const fresh = tasks.readOutput(id)
  return `Task ${head(id, task.name, task.status)}:\n${fresh === "" ? "(no new output)" : fresh}`
}

const cancel = (tasks: BackgroundTasks, agentId: string, id: string): string => {
  const task = own(tasks, agentId, id)
  if (task === undefined && !tasks.isStarting(agentId, id)) return unknown(tasks, agentId, id)
  if (tasks.cancelBy(byModel, id)) return `Task ${id} is cancelled`
  const moment = task?.endedAt === undefined ? "is ending" : "has ended"
  return `Task ${head(id, task?.name ?? "", task?.status ?? "running")} ${moment} already`
}

const answers: ReadonlyMap<
  string,
  (tasks: BackgroundTasks, agentId: string, id: string, seconds: unknown) => TaskAnswer
> = new Map([
  ["ListBackgroundTasks", list],
  ["GetBackgroundTask", collect],
  ["WaitBackgroundTask", wait],
  ["ReadBackgroundOutput", read],
  ["CancelBackgroundTask", cancel],
])
