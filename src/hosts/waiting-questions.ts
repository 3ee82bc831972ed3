/** Questions of one kind that the host has not taken, in the order of asking; returned ones come first. */
import type { AwaitingApprovalEvent, DelegateEvent } from "../model/event.ts"
import { Fifo } from "../pipeline/schedule/fifo.ts"

/** A question of an executor to its host. Answering the queue's copy removes it from the queue. */
export type HostQuestion = AwaitingApprovalEvent | DelegateEvent

/** An approval, a preview to show, or an effect that is answered without a screen. */
export type QuestionKind = "approval" | "preview" | "passing"

/** A question and its state in the queue. */
export interface QueuedQuestion {
  readonly question: HostQuestion
  readonly kind: QuestionKind
  /** The call that the question is about: a staged preview belongs to the call that staged it, even if another resolves it. */
  readonly owner: string
  /** Its position in the order of asking. */
  readonly sequence: number
  /** Whether the host has taken the question. */
  taken: boolean
}

/** The questions of one kind that wait for the host. */
export class WaitingQuestions {
  private readonly fresh = new Fifo<QueuedQuestion>()
  /** Questions that the host gave back, the oldest first. */
  private readonly returned: Array<QueuedQuestion> = []
  /** By owner: one call at a time asks for it, the owner itself or the call that resolves its action. */
  private readonly byOwner = new Map<string, QueuedQuestion>()

  get first(): QueuedQuestion | undefined {
    return this.returned[0] ?? this.fresh.first()
  }

  /** The waiting question of an owner, at whatever position. */
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
