/**
 * For hosts with one screen: the waiting questions, in order. One approval and one IDE preview are shown at a time, until
 * they are over; questions that need no screen do not wait. A call has one question at a time: its next question, or its
 * end, means that the last one is over, answered or not.
 */

import type {
  AnswerOptions,
  ApproveOptions,
  AwaitingApprovalEvent,
  DelegateEvent,
  ToolEvent,
} from "../model/event.ts"
import type { ToolOutput } from "../output/output.ts"
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
 * Push every event. A preview is shown until its call closes it. The preview of a call that staged an action stays until
 * the action is over, which the model may decide much later: `previewClosed` lets a person make room before.
 *
 * The executor's `delegateTimeout` keeps running while effects wait here: if a preview can have to wait until a person has
 * finished with another one, set it to `"Infinity"`.
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

  /** The number of questions that are not over, including those that the host has taken. */
  get size(): number {
    return this.entries.size
  }

  /** The approval that is shown. */
  get approval(): AwaitingApprovalEvent | undefined {
    return this.approvalOnShow?.question as AwaitingApprovalEvent | undefined
  }

  /** The id of the call whose preview is shown: for a staged preview, of the call that staged it. */
  get previewCallId(): string | undefined {
    return this.screen.callId
  }

  /** Queues the question of an event, and removes those of a call that has ended. Returns whether the event is a question. */
  push(event: ToolEvent): boolean {
    switch (event._tag) {
      case "AwaitingApproval":
      case "Delegate":
        this.remove(this.entries.get(event.callId))
        this.add(event)
        return true
      case "Error":
        // A duplicate has the id of a call that continues.
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
   * The next question that there is room for, in the order of asking; undefined if all wait for what is shown. The question
   * stays in the queue, and on the screen if it needs one, until it is answered or returned, or its call ends.
   */
  take(): HostQuestion | undefined {
    for (let entry = this.next(); entry !== undefined; entry = this.next()) {
      const { question, owner } = entry
      this.handOut(entry)
      if (!closesPreview(question) || this.screen.hasRoomFor(owner)) return question
      // The preview of its call was never shown, or is over.
      question.succeed()
    }
    return undefined
  }

  /**
   * Marks a question that the host shows out of order: it counts as taken, and blocks others of its kind. Returns false if
   * there is no such question, or another one is shown.
   */
  acknowledge(callId: string): boolean {
    const entry = this.entries.get(callId)
    if (entry === undefined) return false
    if (entry.taken) return true
    if (!this.hasRoom(entry)) return false
    this.handOut(entry)
    return true
  }

  /** Puts back a question that the host took, as the next of its kind. Returns false if the host has not taken it. */
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
   * Removes a question that was answered directly, by the executor's `approve`, `deny` or `respond`. Returns false if it is
   * no longer in the queue, also because its call has asked the next one.
   */
  answered(question: HostQuestion): boolean {
    const entry = this.entries.get(question.callId)
    if (entry?.question !== question) return false
    this.remove(entry)
    if (closesPreview(question)) this.screen.close(entry.owner)
    return true
  }

  /**
   * Removes a preview that a person has closed, by the id of `previewCallId`, to make room for the next one. Returns false
   * if that preview is not shown.
   */
  previewClosed(callId: string): boolean {
    return this.screen.close(callId)
  }

  /** The question of a call, taken or not. */
  find(callId: string): HostQuestion | undefined {
    return this.entries.get(callId)?.question
  }

  /** Removes all questions, or those of one agent, and clears the screen of them. Returns the unanswered questions. */
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
        // A refused edit leaves the question open. At a gate of some people, any answer can: the call's next event shows
        // when it is over.
        if (event.named !== true && (tookEffect || options?.params === undefined)) this.answered(question)
        return tookEffect
      },
      deny: (reason?: string, options?: AnswerOptions) => {
        if (event.named !== true) this.answered(question)
        const tookEffect = event.deny(reason, options)
        if (tookEffect) this.answered(question)
        return tookEffect
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
      // Previews of other calls wait until the call on the screen has ended: its own next one must not queue behind them.
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
