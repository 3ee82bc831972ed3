/** The source of a page for a store whose calls another process runs: reads what is stored, and answers it. */
import { setTimeout as sleep } from "node:timers/promises"
import type { DurableCalls } from "../../../durable/durable-calls.ts"
import type { InboxItem } from "../../../durable/inbox.ts"
import { resolveName } from "../../../resolve/definition.ts"
import { messageOf } from "../../../text/message-of.ts"
import { undoCall } from "../../../undo/undo-request.ts"
import { rememberedWhat } from "../../terminal/remember-menu.ts"
import type { CallDetail, QuestionDetail, RememberDetail } from "../state/detail.ts"
import type { CallRow } from "../state/page-state.ts"
import { askedTexts, becauseHeld, whyAsked } from "./asked-texts.ts"
import { RequestError } from "./body.ts"
import type { BookedCall } from "./booked-call.ts"
import { bounded } from "./bounded.ts"
import { effectParts } from "./plain-title.ts"
import { ruleProblem } from "./rule-problem.ts"
import {
  type Answer,
  decidedElsewhere,
  hasEnded,
  inInbox,
  listed,
  noAnswer,
  notLatest,
  type OnChange,
  type PageSource,
  type Resolution,
  type TaskAction,
  type Took,
  taken,
  takenElsewhere,
  tookOf,
  tooLate,
} from "./source.ts"
import { StoreRecorder } from "./store-recorder.ts"

/** Milliseconds between polls of open questions: an answer emits no event. */
const lookAgain = 300
/** Milliseconds until the next poll after a failed one. */
const lookAfterFailure = 1000
const pageSize = 100
/** How many questions are shown; further ones follow as these are answered. */
const maxQuestions = 1000
/** Milliseconds without an answer after which no process seems to run the calls. */
const patience = 2000

const waits = "It is stored, and waits for a process that runs these calls."

const notResolved: Took = {
  took: false,
  message: "It was not carried out: the latest call of `resolve` on the timeline says why.",
}

/** Describes the choices in words: only the process that runs the call knows which rules they make. */
const choices = (item: InboxItem): Array<RememberDetail> => {
  if (item.kind !== "approval" || item.person) return []
  const { command } = (item.params ?? {}) as { readonly command?: unknown }
  const named =
    typeof command === "string" ? (["call", "command", "tool"] as const) : (["call", "tool"] as const)
  return named.map((choice) => ({ choice, what: rememberedWhat[choice](item), rules: [] }))
}

/** Follows one store, and answers its questions. The caller that opened the store closes it. */
export class StoreSource implements PageSource {
  private readonly calls: DurableCalls
  private readonly tell: OnChange
  private readonly recorder: StoreRecorder
  private readonly ending = new AbortController()
  /** Why the events, or the questions, cannot be read. */
  private readonly troubles = new Map<"events" | "inbox", string>()
  private told: string | undefined
  /** Questions and previews with a stored answer that has not taken effect yet. */
  private readonly sent = new Set<string>()
  private looking: Promise<void> = Promise.resolve()
  /** The last event that was read. */
  private after = 0

  constructor(calls: DurableCalls, { tell, maxCalls }: { tell: OnChange; maxCalls: number }) {
    this.calls = calls
    this.tell = tell
    this.recorder = new StoreRecorder(tell, maxCalls)
  }

  start(): () => void {
    void this.follow()
    void this.keepLooking()
    return () => this.ending.abort()
  }

  active(): undefined {
    return undefined
  }

  call(row: CallRow): CallDetail | undefined {
    return this.recorder.book.get(row.key)?.detail(row)
  }

  question(id: string): QuestionDetail | undefined {
    const question = this.recorder.question(id)
    if (question === undefined) return undefined
    const { item, booked } = question
    if (item.effect !== undefined) {
      const { params } = effectParts(item.effect)
      return { id, ...askedTexts({ params }), remember: [], pattern: "" }
    }
    const texts = askedTexts({ ...item, because: item.kind === "start" ? becauseHeld : item.because })
    // The parameters of a staged preview can no longer change.
    const mayEdit = booked.name !== resolveName && !texts.isCut
    const remember = choices(item)
    const why = remember.length === 0 && { whyAsked: whyAsked(item.kind === "start" ? undefined : item) }
    return { id, ...texts, ...(mayEdit && { mayEdit }), remember, ...why, pattern: "" }
  }

  tools(): undefined {
    return undefined
  }

  async answer(ids: ReadonlyArray<string>, answer: Answer, by: string | undefined): Promise<Took> {
    const outcomes = await Promise.all(ids.map((id) => this.answerOne(id, answer, by)))
    if (outcomes.length === 1) return outcomes[0]!
    return tookOf(
      outcomes.map(({ took, message }) => ({ took, ...(message !== undefined && { why: message }) })),
    )
  }

  private async answerOne(id: string, answer: Answer, by: string | undefined): Promise<Took> {
    const item = this.recorder.question(id)?.item
    if (item === undefined) return tooLate
    if (this.sent.has(id)) return { took: false, message: `This was answered here. ${waits}` }
    if ((item.kind === "effect") !== (answer.verdict === "respond")) return noAnswer
    const message = answer.verdict === "approve" ? ruleProblem(answer.options.remember) : undefined
    if (message !== undefined) return { took: false, message }
    return this.awaited(id, this.give(item, answer, by))
  }

  /** Answers only this question: the person has not seen a later one of the same call. */
  private async give(item: InboxItem, answer: Answer, by: string | undefined): Promise<Took> {
    const { calls } = this
    const { callId } = item
    const who = by === undefined ? undefined : { by }
    if (answer.verdict === "respond") {
      const took = await calls.respond(callId, answer.answer, { ...item, ...who })
      return took ? { took } : tooLate
    }
    return tookOf(await calls.answer([{ callId, question: item, ...listed(answer) }], who))
  }

  /** Calls `resolve` for this preview, never for one that comes after it. */
  async resolve({ actionId, action, reason }: Resolution, by: string | undefined): Promise<Took> {
    const preview = this.recorder.preview(actionId)
    if (preview === undefined) return decidedElsewhere
    const { agentId } = preview
    const latest = this.recorder.latest(agentId)
    if (latest !== undefined && latest !== preview) return notLatest(latest.label)
    if (this.sent.has(actionId)) return { took: false, message: `This was decided here. ${waits}` }
    const { signal } = this.ending
    const resolved = this.calls
      .resolve({ action, reason, actionId }, { agentId, signal, ...(by !== undefined && { by }) })
      .then((took): Took => (took ? { took } : notResolved))
    return this.awaited(actionId, resolved)
  }

  async task(key: number, action: TaskAction): Promise<Took> {
    if (action === "background")
      throw new RequestError(403, "The process that runs this call has to be asked for that.")
    const booked = this.recorder.book.get(key)
    if (booked === undefined) return hasEnded
    const { callId } = booked
    if (action === "take") return this.take(key, callId)
    if (action === "undo") {
      const id = `undo ${key}`
      if (this.sent.has(id)) return { took: false, message: `This was asked for here. ${waits}` }
      return this.awaited(id, this.undo(booked), waits)
    }
    const cancelled = this.calls
      .cancel(callId, "Cancelled by user")
      .then((took) => (took ? { took } : hasEnded))
    return this.awaited(`call ${key}`, cancelled, waits)
  }

  /** A call of `undo` in the process that runs the calls: only that one knows what a call has changed. */
  private async undo({ agentId, callId }: BookedCall): Promise<Took> {
    const { after, calls } = this
    const [undoId] = await calls.enqueue([{ ...undoCall({ callId }), agentId }])
    for await (const event of calls.events({ after, agentId, signal: this.ending.signal })) {
      if (!("callId" in event) || event.callId !== undoId || !("content" in event)) continue
      if (event._tag === "Completed") return inInbox
      if (event._tag !== "Delta") return { took: false, message: bounded(event.content, 2_000) }
    }
    return { took: true }
  }

  private async take(key: number, callId: string): Promise<Took> {
    const task = await this.calls.tasks.take(callId)
    this.tell({ _tag: "Forgotten", key })
    return task === undefined ? takenElsewhere : taken
  }

  enqueue(): string {
    throw new RequestError(403, "No calls are made from this page.")
  }

  /** Resolves with the outcome, or with a note that the answer is stored and not taken yet, which the card shows meanwhile. */
  private awaited(id: string, asked: Promise<Took>, message?: string): Promise<Took> {
    this.sent.add(id)
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        this.tell({ _tag: "Sent", id, isSent: true })
        resolve({ took: true, ...(message !== undefined && { message }) })
      }, patience).unref()
      const settled = async (took: Took) => {
        clearTimeout(late)
        await this.lookNow()
        this.sent.delete(id)
        this.tell({ _tag: "Sent", id, isSent: false })
        resolve(took)
      }
      asked.then(settled, (error) => settled({ took: false, message: messageOf(error) }))
    })
  }

  // --- What is stored

  private async follow(): Promise<void> {
    const { signal } = this.ending
    while (!signal.aborted) {
      try {
        for await (const event of this.calls.events({ after: this.after, signal })) {
          this.after = Math.max(this.after, event.seq)
          this.recorder.event(event)
          this.troubled("events", undefined)
        }
      } catch (error) {
        this.troubled("events", error)
      }
      await this.pause(lookAfterFailure)
    }
  }

  private async keepLooking(): Promise<void> {
    while (!this.ending.signal.aborted) {
      await this.lookNow()
      await this.pause(this.troubles.has("inbox") ? lookAfterFailure : lookAgain)
    }
  }

  /** Polls one after the other, so that the last read is shown last. */
  private lookNow(): Promise<void> {
    this.looking = this.looking.then(() => this.readInbox())
    return this.looking
  }

  private async readInbox(): Promise<void> {
    if (this.ending.signal.aborted) return
    const look = this.recorder.beginLook()
    try {
      const items: Array<InboxItem> = []
      let isWhole = false
      while (!isWhole && items.length < maxQuestions) {
        const page = await this.calls.inbox({ after: items.at(-1)?.seq ?? 0, limit: pageSize })
        items.push(...page)
        isWhole = page.length < pageSize
      }
      this.recorder.asks(items, look, isWhole)
      if (this.recorder.hasUnread) this.recorder.results(await this.calls.tasks.list())
      this.troubled("inbox", undefined)
    } catch (error) {
      this.troubled("inbox", error)
    }
  }

  private troubled(what: "events" | "inbox", error: unknown): void {
    if (error === undefined) this.troubles.delete(what)
    else this.troubles.set(what, messageOf(error))
    const [problem] = this.troubles.values()
    if (problem === this.told || this.ending.signal.aborted) return
    this.told = problem
    const message = problem && `The store cannot be read: ${problem}. It is tried again.`
    this.tell({ _tag: "Trouble", ...(message !== undefined && { message }) })
  }

  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.ending.signal, ref: false }).catch(() => undefined)
  }
}
