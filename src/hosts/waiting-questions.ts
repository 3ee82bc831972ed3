/** Questions of one kind that the host does not have, in the order of asking; what it gave back comes first. */
import type { AwaitingApprovalEvent, DelegateEvent } from "../pipeline/model/event.ts"
import { Fifo } from "../pipeline/schedule/fifo.ts"

/** What an executor asks its host. Answered through the queue's own copy, it leaves the queue. */
export type HostQuestion = AwaitingApprovalEvent | DelegateEvent

/** What is asked: an approval, a preview to be shown, or something that is answered in passing. */
export type QuestionKind = "approval" | "preview" | "passing"

/** A question, and where it stands. */
export interface QueuedQuestion {
  readonly question: HostQuestion
  readonly kind: QuestionKind
  /** The call that it is about: what a call staged is still its own where another call resolves it. */
  readonly owner: string
  /** Its place in the order of asking. */
  readonly sequence: number
  /** Whether the host has it. */
  taken: boolean
}

/** The questions of one kind that wait for the host. */
export class WaitingQuestions {
  private readonly fresh = new Fifo<QueuedQuestion>()
  /** Given back by the host, the oldest first. */
  private readonly returned: Array<QueuedQuestion> = []
  /** One call at a time asks for an owner: itself, or the one that resolves what it staged. */
  private readonly byOwner = new Map<string, QueuedQuestion>()

  get first(): QueuedQuestion | undefined {
    return this.returned[0] ?? this.fresh.first()
  }

  /** Wherever it stands. */
  of(owner: string): QueuedQuestion | undefined {
    return this.byOwner.get(owner)
  }

  add(entry: QueuedQuestion): void {
    this.fresh.add(entry)
    this.byOwner.set(entry.owner, entry)
  }

  giveBack(entry: QueuedQuestion): void {
    const younger = this.returned.findIndex((other) => other.sequence > entry.sequence)
    this.returned.splice(younger < 0 ? this.returned.length : younger, 0, entry)
    this.byOwner.set(entry.owner, entry)
  }

  delete(entry: QueuedQuestion): void {
    if (this.byOwner.get(entry.owner) === entry) this.byOwner.delete(entry.owner)
    if (this.fresh.delete(entry)) return
    const index = this.returned.indexOf(entry)
    if (index >= 0) this.returned.splice(index, 1)
  }
}
