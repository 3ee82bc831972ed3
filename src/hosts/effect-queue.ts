/**
 * For hosts with one screen: the questions that wait for it, in order. One approval and one IDE preview are on show at a
 * time, and stay until they are over; what needs no screen passes them. A call has one question at a time: its next
 * question, or its end, tells that the last one is over, answered or not.
 */

import type { ToolOutput } from "../output/output.ts"
import type {
  ApproveOptions,
  AwaitingApprovalEvent,
  DelegateEvent,
  ToolEvent,
} from "../pipeline/model/event.ts"
import { PreviewOnShow } from "./preview-on-show.ts"
import {
  type HostQuestion,
  type QuestionKind,
  type QueuedQuestion,
  WaitingQuestions,
} from "./waiting-questions.ts"

const kindOf = (question: HostQuestion): QuestionKind => {
  if (question._tag === "AwaitingApproval") return "approval"
  const { _tag } = question.effect
  return _tag === "IdeShowPreview" || _tag === "IdeShowDiffPreview" ? "preview" : "passing"
}

const ownerOf = (question: HostQuestion): string =>
  question._tag === "Delegate" ? (question.sourceCallId ?? question.callId) : question.callId

const closesPreview = (question: HostQuestion): question is DelegateEvent =>
  question._tag === "Delegate" && question.effect._tag === "IdeClosePreview"

/**
 * Give it every event. A preview is on show until its call closes it. That of a call that staged an action stays until
 * the action is over, which its model may decide long after: `previewClosed` lets a person make room before.
 *
 * Effects wait here on the executor's `delegateTimeout`: where a preview may have to wait for a person to be done with
 * another one, set that to `"Infinity"`.
 *
 * @example
 * for await (const event of executor.events) {
 *   queue.push(event)
 *   for (let question = queue.take(); question !== undefined; question = queue.take()) show(question)
 * }
 */
export class HostEffectQueue {
  private readonly entries = new Map<string, QueuedQuestion>()
  private readonly waiting = {
    approval: new WaitingQuestions(),
    preview: new WaitingQuestions(),
    passing: new WaitingQuestions(),
  }
  private approvalOnShow: QueuedQuestion | undefined
  private readonly screen = new PreviewOnShow()
  private asked = 0

  /** The questions that are not over, those included that the host has taken. */
  get size(): number {
    return this.entries.size
  }

  /** The approval on show. */
  get approval(): AwaitingApprovalEvent | undefined {
    return this.approvalOnShow?.question as AwaitingApprovalEvent | undefined
  }

  /** The id of the call whose preview is on show: of a staged one, the call that staged it. */
  get previewCallId(): string | undefined {
    return this.screen.callId
  }

  /** Queues what an event asks, and forgets the questions of a call that has ended. True for a question. */
  push(event: ToolEvent): boolean {
    switch (event._tag) {
      case "AwaitingApproval":
      case "Delegate":
        this.remove(this.entries.get(event.callId))
        this.add(event)
        return true
      case "Error":
        // It bears the id of a call that goes on.
        if (event.reason !== "duplicate") this.callEnded(event.callId, event.staged?.actionId)
        return false
      case "Completed":
      case "BackgroundCompleted":
        this.callEnded(event.callId, event.staged?.actionId)
        return false
      case "Denied":
      case "Cancelled":
        this.callEnded(event.callId, undefined)
        return false
      case "ActionPending":
        this.screen.actionPending(event.actionId, event.sourceCallId)
        return false
      case "ActionResolved":
        // The cleanup of a dropped action asks under the action's id.
        this.remove(this.entries.get(event.actionId))
        this.screen.actionResolved(event.actionId)
        return false
      default:
        return false
    }
  }

  /**
   * The next question that there is room for, in the order of asking; undefined where all wait for what is on show. It
   * stays in the queue, and on show if it needs the screen, until it is answered, given back, or its call is stopped.
   */
  take(): HostQuestion | undefined {
    for (let entry = this.next(); entry !== undefined; entry = this.next()) {
      const { question, owner } = entry
      this.handOut(entry)
      if (!closesPreview(question) || this.screen.hasRoomFor(owner)) return question
      // The preview of its call never came on show, or is over.
      question.succeed()
    }
    return undefined
  }

  /**
   * The host shows this one, whichever the order: it is taken, and blocks others of its kind wherever it stands.
   * False where there is no such question, or another one is on show.
   */
  acknowledge(callId: string): boolean {
    const entry = this.entries.get(callId)
    if (entry === undefined) return false
    if (entry.taken) return true
    if (!this.hasRoom(entry)) return false
    this.handOut(entry)
    return true
  }

  /** The host gives a question back that it took: it is the next of its kind again. False where it has no such one. */
  requeue(callId: string): boolean {
    const entry = this.entries.get(callId)
    if (entry?.taken !== true) return false
    entry.taken = false
    if (this.approvalOnShow === entry) this.approvalOnShow = undefined
    if (entry.kind === "preview") this.screen.close(entry.owner)
    this.waiting[entry.kind].giveBack(entry)
    return true
  }

  /**
   * A question of this queue's was answered in another way: with the executor's `approve`, `deny` or `respond`. False
   * where it is no longer here, also because its call has asked the next one.
   */
  answered(question: HostQuestion): boolean {
    const entry = this.entries.get(question.callId)
    if (entry?.question !== question) return false
    this.remove(entry)
    if (closesPreview(question)) this.screen.close(entry.owner)
    return true
  }

  /**
   * A person has closed the preview of a call, as `previewCallId` names it: there is room for the next one. False where
   * it is not on show.
   */
  previewClosed(callId: string): boolean {
    return this.screen.close(callId)
  }

  /** The question of a call, taken or not. */
  find(callId: string): HostQuestion | undefined {
    return this.entries.get(callId)?.question
  }

  /** Forgets all questions, or those of one agent, and what is on show of them. Gives them, unanswered. */
  clear(agentId?: string): Array<HostQuestion> {
    const cleared = [...this.entries.values()].filter(
      ({ question }) => agentId === undefined || question.agentId === agentId,
    )
    for (const entry of cleared) this.remove(entry)
    this.screen.clear(agentId)
    return cleared.map(({ question }) => question)
  }

  private add(event: HostQuestion): void {
    this.asked += 1
    const kind = kindOf(event)
    const question = event._tag === "Delegate" ? this.heldEffect(event, kind) : this.heldApproval(event)
    const entry = { question, kind, owner: ownerOf(event), sequence: this.asked, taken: false }
    this.entries.set(event.callId, entry)
    this.waiting[kind].add(entry)
  }

  private heldApproval(event: AwaitingApprovalEvent): AwaitingApprovalEvent {
    const question: AwaitingApprovalEvent = {
      ...event,
      approve: (options?: ApproveOptions) => {
        const tookEffect = event.approve(options)
        // An edit may be refused, and the question is still open then.
        if (tookEffect || options?.params === undefined) this.answered(question)
        return tookEffect
      },
      deny: (reason?: string) => {
        this.answered(question)
        return event.deny(reason)
      },
    }
    return question
  }

  private heldEffect(event: DelegateEvent, kind: QuestionKind): DelegateEvent {
    const question: DelegateEvent = {
      ...event,
      succeed: (output?: string | ToolOutput) => {
        this.answered(question)
        return event.succeed(output)
      },
      fail: (message: string) => {
        if (this.answered(question) && kind === "preview") this.screen.close(ownerOf(event))
        return event.fail(message)
      },
    }
    return question
  }

  private next(): QueuedQuestion | undefined {
    const { approval, preview, passing } = this.waiting
    const { callId } = this.screen
    const candidates = [
      this.approvalOnShow === undefined ? approval.first : undefined,
      // The others wait until the call on show has ended: what it shows next must not stand behind them.
      callId === undefined ? preview.first : preview.of(callId),
      passing.first,
    ]
    let next: QueuedQuestion | undefined
    for (const candidate of candidates) {
      if (candidate !== undefined && (next === undefined || candidate.sequence < next.sequence))
        next = candidate
    }
    return next
  }

  private hasRoom(entry: QueuedQuestion): boolean {
    if (entry.kind === "approval") return this.approvalOnShow === undefined
    if (entry.kind === "preview") return this.screen.hasRoomFor(entry.owner)
    return true
  }

  private handOut(entry: QueuedQuestion): void {
    entry.taken = true
    this.waiting[entry.kind].delete(entry)
    if (entry.kind === "approval") this.approvalOnShow = entry
    if (entry.kind === "preview") this.screen.show(entry.question.agentId, entry.owner)
  }

  private callEnded(callId: string, stagedId: string | undefined): void {
    this.remove(this.entries.get(callId))
    this.screen.callEnded(callId, stagedId)
  }

  private remove(entry: QueuedQuestion | undefined): void {
    if (entry === undefined) return
    this.entries.delete(entry.question.callId)
    this.waiting[entry.kind].delete(entry)
    if (this.approvalOnShow === entry) this.approvalOnShow = undefined
  }
}
