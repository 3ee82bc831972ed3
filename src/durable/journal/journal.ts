/**
 * Keeps an executor's calls in a store. Changes are gathered, and stored together before anything is done that builds on
 * them; what is told waits until it is stored. Where the store fails, the calls wait, and it is tried again.
 */
import type { Command } from "../../pipeline/call/command.ts"
import type { JournaledCall } from "../../pipeline/call/journal.ts"
import type { CallSnapshot } from "../../pipeline/call/snapshot.ts"
import type { CallRecord } from "../../pipeline/call/state.ts"
import type { ExecutorJournal, JournaledParts } from "../../pipeline/executor-environment.ts"
import type { ToolEvent } from "../../pipeline/model/event.ts"
import type { StagedAction } from "../../pipeline/model/staged-action.ts"
import type { BackgroundTask } from "../../pipeline/stores/background-tasks.ts"
import type { AskedQuestion } from "../inbox.ts"
import type { JournalStore, RuleRow } from "../store.ts"
import {
  closedError,
  FencedError,
  ForeignAgentsError,
  TakenIdsError,
  tellStoreError,
} from "../store-error.ts"
import { eventText } from "./event-text.ts"
import { Gathered, type Taken } from "./gathered.ts"
import { Held } from "./held.ts"
import { type HasFunction, JournalEntry } from "./journal-entry.ts"
import { taskText } from "./task-text.ts"

/** What a journal is told of its executor. */
export interface JournalOptions {
  readonly approvalTimeout: number
  /** Whether a function answers an effect. Default: none does. */
  readonly hasFunction?: HasFunction
  /** Whether functions of the host's are called before and after each call. */
  readonly hooks: { readonly before: boolean; readonly after: boolean }
  /** Told when the store fails, and, with undefined, when it is there again. */
  readonly onStoreError: ((error: unknown) => void) | undefined
  /** Told once others run these calls: nothing is stored any more. */
  readonly onFenced?: (() => void) | undefined
}

/** Numbers of events after which the last one is stored, though no event was: deltas have numbers, too. */
const sequenceStep = 25_000

/** Milliseconds between attempts to store. */
const retryAfter = 250

const ends: ReadonlySet<ToolEvent["_tag"]> = new Set([
  "Completed",
  "Error",
  "Denied",
  "Cancelled",
  "BackgroundCompleted",
])

const lostError = () =>
  new Error("The store failed until it was closed: this was not stored. Open it again, and ask again")

const foreignReason = (agentId: string) =>
  `Another process runs the calls of the agent "${agentId}": enqueue them with \`enqueue\` of the durable executor`

const takenReason = (callId: string) =>
  `Call id "${callId}" is in use in this store. Use a new id for every call, or \`enqueue\` of the durable executor, which takes the same id for the same call.`

/** Milliseconds that what is found out again may wait to be stored. */
const storeLate = 100

/** Whether nothing is stored of a commit that has failed so. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ForeignAgentsError || error instanceof TakenIdsError

/** What is being stored. */
interface Storing {
  readonly isUrgent: boolean
  /** Resolves when it is over, however it ended. */
  readonly over: Promise<void>
}

/** The journal of one executor. */
export class StoreJournal implements ExecutorJournal {
  readonly firstSequence: number
  private readonly store: JournalStore
  private readonly options: JournalOptions
  private readonly hasFunction: HasFunction
  private readonly entries = new Map<string, JournalEntry>()
  private readonly gathered: Gathered
  /** What is done once all before it is stored, in order. */
  private readonly held = new Held()
  private readonly listeners = new Set<(event: ToolEvent) => void>()
  /** Calls that have ended, and whether that is stored. */
  private readonly endings = new Map<string, boolean>()
  private attached: JournaledParts | undefined
  /** What a call that is taken in now has in the store. */
  private known: { readonly snapshot: CallSnapshot | undefined } | undefined
  private lastSequence: number
  /** The last one that is stored, or on its way. */
  private takenSequence: number
  /** Whether something has changed that has to be stored before the next handler runs. */
  private isUrgent = false
  private scheduled = false
  private storing: Storing | undefined
  private retry: NodeJS.Timeout | undefined
  private late: NodeJS.Timeout | undefined
  private closed = false
  /** Until its host has had the time to attach itself to the executor. */
  private isPaused = true

  constructor(store: JournalStore, options: JournalOptions) {
    this.store = store
    this.options = options
    this.hasFunction = options.hasFunction ?? (() => false)
    this.firstSequence = store.firstSequence
    this.lastSequence = this.firstSequence
    this.takenSequence = this.firstSequence
    this.gathered = new Gathered({
      approvalTimeout: options.approvalTimeout,
      actionsOf: (agentId) => this.parts.actions.all(agentId),
    })
  }

  attach(parts: JournaledParts): void {
    this.attached = parts
    parts.mailbox.gate = (call, command) => this.allows(call as unknown as JournaledCall, command)
  }

  /** Whether nothing is stored any more. */
  get isClosed(): boolean {
    return this.closed
  }

  /** Lets the calls go on. */
  begin(): void {
    this.isPaused = false
    this.goOn()
  }

  /** What was held back may be done now. */
  goOn(): void {
    if (!this.closed) this.attached?.mailbox.deliver()
  }

  /** Of the executor that it was attached to. */
  get parts(): JournaledParts {
    if (this.attached === undefined) throw new Error("This journal has no executor yet")
    return this.attached
  }

  /** Tells each event once it is stored, and deltas; gives a function that ends it. */
  listen(listener: (event: ToolEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Resolves once all that has changed so far is stored. */
  stored(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(closedError())
      this.after(resolve, reject)
      this.commit()
    })
  }

  /** Keeps a rule that an approval made. */
  made(rule: RuleRow): void {
    this.gathered.rule(rule)
    this.schedule()
  }

  /** Answers a request, together with what the answer brought about. */
  answered(request: number, answer: string): void {
    this.gathered.answer(request, answer)
    this.schedule()
  }

  // --- What the executor tells

  added(call: JournaledCall): void {
    const { known } = this
    const entry = new JournalEntry(call, known !== undefined, known?.snapshot, this.hasFunction)
    this.gathered.admit(entry)
    this.entries.set(call.callId, entry)
    // One that nobody has had stands in the store as it was enqueued.
    this.note(entry, known === undefined || known.snapshot !== undefined)
  }

  /** Whether this question of a call, as the inbox has told of it, is the one that is open. */
  isOpen(callId: string, question: AskedQuestion): boolean {
    return this.entries.get(callId)?.isOpen(question) === true
  }

  /** Whether a call has ended here, though what was read of the store may not say so yet. */
  hasEnded(callId: string): boolean {
    return this.endings.has(callId)
  }

  /** Whether calls that were refused have not ended yet. What the store has under their ids must not be taken in before. */
  get isRefusing(): boolean {
    return [...this.gathered.refused].some((callId) => this.entries.has(callId))
  }

  /** What is read from now on says of which calls the end is stored. */
  forgetEndings(): void {
    for (const [callId, isStored] of this.endings) if (isStored) this.endings.delete(callId)
  }

  /** Has a call taken in that is stored already; `snapshot`: as it stood when an executor had it. */
  takingIn(snapshot: CallSnapshot | undefined, take: () => void): void {
    this.known = { snapshot }
    try {
      take()
    } finally {
      this.known = undefined
    }
  }

  moved(call: JournaledCall): void {
    const entry = this.entries.get(call.callId)
    if (entry?.call === call) this.note(entry, this.matters(call.record))
  }

  /** Whether what follows must not be done before it is stored: all but what is found out again. */
  private matters({ state, at, passed, edited, action, resume }: CallRecord): boolean {
    switch (state._tag) {
      case "Queued":
        return resume === undefined
      case "Preparing":
        return edited
      case "Running":
        return at > 0 || passed > 0 || edited || action !== undefined
      case "Judging":
        return this.options.hooks.after
      case "Ended":
        return false
      default:
        return true
    }
  }

  ended(call: JournaledCall): void {
    if (this.gathered.clean(call.callId)) return this.schedule()
    const entry = this.entries.get(call.callId)
    if (entry?.call !== call) return
    this.entries.delete(call.callId)
    entry.ended(Date.now())
    // Of one that was refused, another one has the id.
    if (!this.gathered.refused.has(entry.callId)) this.endings.set(entry.callId, false)
    this.gathered.end(entry)
    this.isUrgent = true
    this.schedule()
  }

  allows(call: JournaledCall, command: Command): boolean {
    if (this.closed || this.isPaused) return false
    if (!this.isOutward(command)) return true
    if (this.store.isCurrent === false) return false
    const isRun = command._tag === "Run" || command._tag === "RunFinal"
    const entry = isRun ? this.entries.get(call.callId) : undefined
    if (entry?.begin() === true) this.note(entry, true)
    if (!this.isUrgent && this.storing?.isUrgent !== true) return true
    return this.commit()
  }

  /** Whether it reaches out of the executor: to a handler, to a function of the host's, or to what rules are kept in. */
  private isOutward({ _tag }: Command): boolean {
    switch (_tag) {
      case "Run":
      case "RunFinal":
      case "Reply":
      case "Review":
      case "Ask":
      case "Remember":
        return true
      case "Prepare":
        return this.options.hooks.before
      case "Judge":
        return this.options.hooks.after
      default:
        return false
    }
  }

  kept(task: BackgroundTask): void {
    const { id, agentId, endedAt = Date.now() } = task
    if (this.gathered.refused.has(id)) return queueMicrotask(() => this.parts.tasks.take(id))
    this.gathered.task(id, { taskId: id, agentId, endedAt, task: taskText(task) })
    this.schedule()
  }

  forgot(taskId: string): void {
    this.gathered.task(taskId, undefined)
    this.schedule()
  }

  staged(agentId: string): void {
    this.gathered.staged(agentId)
    this.isUrgent = true
    this.schedule()
  }

  dropping(agentId: string, action: StagedAction): void {
    this.gathered.drop(agentId, action)
    this.isUrgent = true
    this.schedule()
  }

  // --- What is told

  get isHolding(): boolean {
    return !this.held.isEmpty
  }

  told(event: ToolEvent, give: () => void): void {
    // Only what is refused is told now.
    if (this.closed) return give()
    this.lastSequence = Math.max(this.lastSequence, event.seq)
    if (this.lastSequence > this.takenSequence + sequenceStep) {
      this.takenSequence = this.lastSequence
      this.gathered.touch()
      this.schedule()
    }
    if (event._tag === "Delta") {
      if (this.held.isEmpty) return this.give(event, give)
    } else this.noteEvent(event)
    this.held.add(() => this.give(event, give))
    this.schedule()
  }

  private give(event: ToolEvent, give: () => void): void {
    give()
    for (const listener of this.listeners) listener(event)
  }

  private noteEvent(event: ToolEvent): void {
    const { agentId, seq, at } = event
    const text = eventText(event)
    this.gathered.event({ seq, agentId, at, event: text })
    if (!("callId" in event)) return
    const entry = this.entries.get(event.callId)
    if (entry === undefined) return
    if (event._tag === "Started") {
      entry.toldStarted = true
      // Its row says so in the same transaction.
      this.gathered.call(entry)
    }
    if (ends.has(event._tag)) entry.result = text
  }

  after(act: () => void, lost?: (error: Error) => void): void {
    if (this.closed) return act()
    if (!this.isDirty && this.held.isEmpty) return act()
    this.held.add(act, lost)
    this.schedule()
  }

  // --- Storing

  private note(entry: JournalEntry, isUrgent: boolean): void {
    this.gathered.call(entry)
    if (!isUrgent) return this.scheduleLate()
    this.isUrgent = true
    this.schedule()
  }

  /** What would be found out again is stored with what would not, or else a little later. */
  private scheduleLate(): void {
    if (this.late !== undefined || this.closed) return
    this.late = setTimeout(() => {
      this.late = undefined
      this.schedule()
    }, storeLate).unref()
  }

  private get isDirty(): boolean {
    return this.storing !== undefined || !this.gathered.isEmpty
  }

  private schedule(): void {
    if (this.scheduled || this.retry !== undefined || this.closed) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.commit()
    })
  }

  /**
   * Stores all that has changed, and then tells what waits for it. False where it is not stored yet: because the store takes its
   * time, or because it fails, and is tried again.
   */
  private commit(): boolean {
    if (this.closed || this.retry !== undefined || this.storing !== undefined) return false
    const upTo = this.held.length
    if (!this.gathered.isEmpty) {
      const taken = this.gathered.take(this.lastSequence)
      this.takenSequence = this.lastSequence
      try {
        const storing = this.store.commit(taken.changes)
        if (storing !== undefined) {
          this.storeLater(taken, upTo, storing)
          return false
        }
      } catch (error) {
        this.gathered.putBack(taken, true)
        this.failed(error)
        return false
      }
      this.settled(taken)
    }
    this.isUrgent = false
    this.held.release(upTo)
    return true
  }

  private settled({ entries, ended }: Taken): void {
    for (const entry of entries) entry.isKnown = true
    for (const { callId } of ended) this.endings.set(callId, true)
  }

  /** What changes meanwhile is stored next. */
  private storeLater(taken: Taken, upTo: number, storing: Promise<void>): void {
    const { isUrgent } = this
    this.isUrgent = false
    const over = storing.then(
      () => {
        this.storing = undefined
        this.settled(taken)
        this.held.release(upTo)
        // Also where nothing has changed: who asked meanwhile waits for it.
        this.commit()
        this.goOn()
      },
      (error) => {
        this.storing = undefined
        if (isUrgent) this.isUrgent = true
        this.gathered.putBack(taken, isRefusal(error))
        this.failed(error)
      },
    )
    this.storing = { isUrgent, over }
  }

  private failed(error: unknown): void {
    if (error instanceof FencedError) return this.fence()
    if (error instanceof ForeignAgentsError) return this.refuseAgents(error.agentIds)
    if (error instanceof TakenIdsError) return this.refuseIds(error.callIds)
    if (this.closed) return
    this.retry = setTimeout(() => {
      this.retry = undefined
      this.tryAgain()
    }, retryAfter)
    this.report(error)
  }

  private tryAgain(): void {
    const isStored = this.commit()
    if (isStored) {
      this.report(undefined)
      this.goOn()
    } else if (this.storing !== undefined) {
      void this.storing.over.then(() => this.retry === undefined && this.report(undefined))
    }
  }

  /** Others run these calls. */
  fence(): void {
    if (this.closed) return
    this.abandon(new FencedError())
    this.options.onFenced?.()
  }

  /** Ends the calls of agents that others have: they were enqueued in the wrong process. */
  private refuseAgents(agentIds: ReadonlyArray<string>): void {
    for (const agentId of agentIds) this.gathered.leaveOut(agentId)
    for (const { callId, agentId } of [...this.entries.values()]) {
      if (agentIds.includes(agentId)) this.refuse(callId, foreignReason(agentId))
    }
    this.schedule()
  }

  /** Ends calls whose ids others have. */
  private refuseIds(callIds: ReadonlyArray<string>): void {
    for (const callId of callIds) this.refuse(callId, takenReason(callId))
    this.schedule()
  }

  /** Nothing is stored of it but what it tells. */
  private refuse(callId: string, reason: string): void {
    this.gathered.refuse(callId)
    this.endings.delete(callId)
    this.parts.calls.get(callId)?.cancel(reason)
  }

  private report(error: unknown): void {
    tellStoreError(this.options.onStoreError, error)
  }

  async close(): Promise<void> {
    if (this.closed) return
    const wasAway = this.retry !== undefined
    this.stopRetry()
    if (this.storing !== undefined) await this.storing.over
    // A failure of that set the next attempt: it is made now, and is the last.
    this.stopRetry()
    if (this.commit() && wasAway) this.report(undefined)
    // What is stored later than that is told of by itself.
    if (this.storing !== undefined) await this.storing.over
    this.abandon(lostError())
    await this.store.close()
  }

  /** Stores nothing any more. */
  private abandon(error: Error): void {
    this.closed = true
    this.stopRetry()
    clearTimeout(this.late)
    this.held.lose(error)
  }

  private stopRetry(): void {
    clearTimeout(this.retry)
    this.retry = undefined
  }
}
