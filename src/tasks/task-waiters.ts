/** The callers that wait for the end of a background task. */

import { whenAborted } from "../model/when-aborted.ts"
import type { EventJournal } from "../pipeline/events/event-stamps.ts"

/** Set for durable tasks, whose ends have to be stored first. */
type Stored = Pick<EventJournal, "after">

type Answer<Task> = (task: Task | undefined) => void

/** The waiting callers by task id. For durable tasks, they are notified once the result is stored. */
export class TaskWaiters<Task> {
  private readonly waiters = new Map<string, Set<Answer<Task>>>()
  private readonly stored: Stored | undefined

  constructor(stored: Stored | undefined) {
    this.stored = stored
  }

  /** Resolves to the task once it has ended; to undefined if the call never became a task, or once `signal` is aborted. */
  wait(id: string, signal: AbortSignal | undefined): Promise<Task | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const answer: Answer<Task> = (ended) => {
        release?.()
        resolve(ended)
      }
      const waiting = this.waiters.get(id) ?? new Set()
      this.waiters.set(id, waiting.add(answer))
      const release = signal && whenAborted(signal, () => this.stopWaiting(id, answer))
    })
  }

  private stopWaiting(id: string, answer: Answer<Task>): void {
    const waiting = this.waiters.get(id)
    if (waiting?.delete(answer) === true && waiting.size === 0) this.waiters.delete(id)
    answer(undefined)
  }

  /** Resolves to a task that has ended, or to undefined. */
  told(task: Task | undefined): Promise<Task | undefined> {
    return new Promise((resolve) => this.tell(resolve, task))
  }

  /** Notifies the callers that wait for this task. */
  answer(id: string, task: Task | undefined): void {
    const waiting = this.waiters.get(id)
    if (waiting === undefined) return
    this.waiters.delete(id)
    for (const answer of waiting) this.tell(answer, task)
  }

  /** Ends all waits, because another process continues the tasks. */
  leave(): void {
    for (const id of [...this.waiters.keys()]) this.answer(id, undefined)
  }

  private tell(answer: Answer<Task>, task: Task | undefined): void {
    if (this.stored === undefined || task === undefined) answer(task)
    else
      this.stored.after(
        () => answer(task),
        () => answer(undefined),
      )
  }
}
