/**
 * For hosts with one screen: the questions that wait for it, in order. One approval and one IDE preview are on show at a
 * time, and stay until they are over; what needs no screen passes them. A call has one question at a time, so whatever
 * it says next tells that the last one is over, answered or not.
 */
import type { ApproveOptions, AwaitingApprovalEvent, DelegateEvent, ToolEvent } from "../pipeline/event.ts"
import { Fifo } from "../pipeline/fifo.ts"
import type { ToolOutput } from "../pipeline/output.ts"

/** What an executor asks its host. Answered through the queue's own copy, it leaves the queue. */
export type HostQuestion = AwaitingApprovalEvent | DelegateEvent

type Kind = "approval" | "preview" | "passing"

interface Entry {
  readonly question: HostQuestion
  readonly kind: Kind
  /** Its place in the order of asking. */
  readonly sequence: number
  /** Whether the host has it. */
  taken: boolean
}

/** The call whose preview the editor shows: from the effect that shows it to the one that closes it. */
interface Preview {
  readonly agentId: string
  readonly callId: string
}

const kindOf = (question: HostQuestion): Kind => {
  if (question._tag === "AwaitingApproval") return "approval"
  const { _tag } = question.effect
  return _tag === "IdeShowPreview" || _tag === "IdeShowDiffPreview" ? "preview" : "passing"
}

/** The questions of one kind that the host does not have. */
class Waiting {
  private readonly fresh = new Fifo<Entry>()
  /** Given back by the host, the oldest first: they come before the others. */
  private readonly returned: Array<Entry> = []

  get first(): Entry | undefined {
    return this.returned[0] ?? this.fresh.first()
  }

  add(entry: Entry): void {
    this.fresh.add(entry)
  }

  giveBack(entry: Entry): void {
    const younger = this.returned.findIndex((other) => other.sequence > entry.sequence)
    this.returned.splice(younger < 0 ? this.returned.length : younger, 0, entry)
  }

  delete(entry: Entry): void {
    if (this.fresh.delete(entry)) return
    const index = this.returned.indexOf(entry)
    if (index >= 0) this.returned.splice(index, 1)
  }
}

/**
 * Give it every event. Effects wait here on the executor's `delegateTimeout`: where a preview may have to wait for a
 * person to be done with another one, set that to `"Infinity"`.
 *
 * @example
 * for await (const event of executor.events) {
 *   queue.push(event)
 *   for (let question = queue.take(); question !== undefined; question = queue.take()) show(question)
 * }
 */
export class HostEffectQueue {
  private readonly entries = new Map<string, Entry>()
  private readonly waiting = { approval: new Waiting(), preview: new Waiting(), passing: new Waiting() }
  private approvalOnShow: Entry | undefined
  private preview: Preview | undefined
  private asked = 0

  /** The questions that are not over, those included that the host has taken. */
  get size(): number {
    return this.entries.size
  }

  /** The approval on show. */
  get approval(): AwaitingApprovalEvent | undefined {
    return this.approvalOnShow?.question as AwaitingApprovalEvent | undefined
  }

  /** The id of the call whose preview is on show. */
  get previewCallId(): string | undefined {
    return this.preview?.callId
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
        if (event.reason !== "duplicate") this.callEnded(event.callId)
        return false
      case "Completed":
      case "Denied":
      case "Cancelled":
      case "BackgroundCompleted":
        this.callEnded(event.callId)
        return false
      case "ActionResolved":
        // The cleanup of a dropped action asks under the action's id.
        this.callEnded(event.actionId)
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
      const { question } = entry
      this.handOut(entry)
      if (!this.closesAnother(question)) return question
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
    if (entry.kind === "preview") this.closePreview(callId)
    this.waiting[entry.kind].giveBack(entry)
    return true
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
    if (agentId === undefined || this.preview?.agentId === agentId) this.preview = undefined
    return cleared.map(({ question }) => question)
  }

  private add(event: HostQuestion): void {
    this.asked += 1
    const kind = kindOf(event)
    const question = event._tag === "Delegate" ? this.heldEffect(event, kind) : this.heldApproval(event)
    const entry: Entry = { question, kind, sequence: this.asked, taken: false }
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

  private heldEffect(event: DelegateEvent, kind: Kind): DelegateEvent {
    const closes = event.effect._tag === "IdeClosePreview"
    const question: DelegateEvent = {
      ...event,
      succeed: (output?: string | ToolOutput) => {
        this.answered(question)
        if (closes) this.closePreview(event.callId)
        return event.succeed(output)
      },
      fail: (message: string) => {
        this.answered(question)
        if (closes || kind === "preview") this.closePreview(event.callId)
        return event.fail(message)
      },
    }
    return question
  }

  private next(): Entry | undefined {
    let next: Entry | undefined
    for (const { first } of Object.values(this.waiting)) {
      if (first === undefined || !this.hasRoom(first)) continue
      if (next === undefined || first.sequence < next.sequence) next = first
    }
    return next
  }

  private hasRoom(entry: Entry): boolean {
    if (entry.kind === "approval") return this.approvalOnShow === undefined
    if (entry.kind === "preview") return this.mayPreview(entry.question.callId)
    return true
  }

  private mayPreview(callId: string): boolean {
    return this.preview === undefined || this.preview.callId === callId
  }

  private closesAnother(question: HostQuestion): question is DelegateEvent {
    if (question._tag !== "Delegate" || question.effect._tag !== "IdeClosePreview") return false
    return !this.mayPreview(question.callId)
  }

  private handOut(entry: Entry): void {
    const { agentId, callId } = entry.question
    entry.taken = true
    this.waiting[entry.kind].delete(entry)
    if (entry.kind === "approval") this.approvalOnShow = entry
    if (entry.kind === "preview") this.preview = { agentId, callId }
  }

  private callEnded(callId: string): void {
    this.remove(this.entries.get(callId))
    this.closePreview(callId)
  }

  private closePreview(callId: string): void {
    if (this.preview?.callId === callId) this.preview = undefined
  }

  /** Only this one: its call may have asked the next one meanwhile. */
  private answered(question: HostQuestion): void {
    const entry = this.entries.get(question.callId)
    if (entry?.question === question) this.remove(entry)
  }

  private remove(entry: Entry | undefined): void {
    if (entry === undefined) return
    this.entries.delete(entry.question.callId)
    this.waiting[entry.kind].delete(entry)
    if (this.approvalOnShow === entry) this.approvalOnShow = undefined
  }
}
