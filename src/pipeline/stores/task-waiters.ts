/** Who waits for the end of a background task. */
import { LateMap } from "../schedule/late-map.ts"

/** Where what is told is stored first. */
export interface Stored {
  /** Does something once all before it is stored; where that is not to be, the other. */
  after(act: () => void, lost?: () => void): void
}

type Answer<Task> = (task: Task | undefined) => void

/** Those that wait, by task id. They are told only what cannot be forgotten. */
export class TaskWaiters<Task> {
  private readonly waiters = new LateMap<string, Set<Answer<Task>>>()
  private readonly stored: Stored | undefined

  constructor(stored: Stored | undefined) {
    this.stored = stored
  }

  /** Resolves to the task once it has ended; to undefined where it never became one, and once `signal` is aborted. */
  wait(id: string, signal: AbortSignal | undefined): Promise<Task | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const stop = () => this.stopWaiting(id, answer)
      const answer: Answer<Task> = (ended) => {
        signal?.removeEventListener("abort", stop)
        resolve(ended)
      }
      const waiting = this.waiters.get(id) ?? new Set()
      this.waiters.set(id, waiting.add(answer))
      signal?.addEventListener("abort", stop, { once: true })
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

  /** Tells those who wait for this one. */
  answer(id: string, task: Task | undefined): void {
    const waiting = this.waiters.get(id)
    if (waiting === undefined) return
    this.waiters.delete(id)
    for (const answer of waiting) this.tell(answer, task)
  }

  /** Tells all that the end comes in another process. */
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
