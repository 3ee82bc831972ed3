/**
 * Keeps an executor's calls in a store: records changes, and decides which must be stored before a call acts. Events are held
 * back until they are stored.
 */

import type { FullLimit, LimitUse } from "../../limits/stored-counts.ts"
import type { ToolCall } from "../../model/call.ts"
import type { ErrorReason, ToolEvent } from "../../model/event.ts"
import type { StagedAction } from "../../model/staged-action.ts"
import type { ToolOutput } from "../../output/output.ts"
import { type Call, currentPart, laneOf } from "../../pipeline/call/call.ts"
import type { Command } from "../../pipeline/call/command.ts"
import type { NestedEnd } from "../../pipeline/call/journal.ts"
import type { Engine } from "../../pipeline/engine.ts"
import type { ExecutorJournal } from "../../pipeline/executor-environment.ts"
import { leaveCall } from "../../pipeline/shutting-down.ts"
import type { KeyAnswer } from "../../pipeline/stores/call-keys.ts"
import type { CallSnapshot } from "../../snapshots/snapshot.ts"
import type { BackgroundTask } from "../../tasks/background-tasks.ts"
import { storedReceipts } from "../../undo/call-recorder.ts"
import type { StoredReceipts } from "../../undo/receipts.ts"
import type { AskedQuestion } from "../inbox.ts"
import { eventText, keptText, taskText } from "../kept-text.ts"
import { type EndNotes, receiptsIn } from "../poisoned.ts"
import type { JournalStore, RuleRow, WrittenRow } from "../store.ts"
import type { RefusedError } from "../store-error.ts"
import { Commits } from "./commits.ts"
import { Gathered, type Taken } from "./gathered.ts"
import { type EntryOptions, JournalEntry, type Known } from "./journal-entry.ts"
import { refusedCalls } from "./refusals.ts"
import { Trials } from "./trials.ts"
import { type CalledHooks, isOutward, isUrgentState } from "./urgency.ts"

/** The journal's data about its executor, and its callbacks. */
export interface JournalOptions extends EntryOptions {
  readonly hooks: CalledHooks
  /** Called with the error when the store fails, and with undefined once it works again. */
  readonly onStoreError: ((error: unknown) => void) | undefined
  /**
   * Calls `join` once the calls that other processes queued before this call are taken in. Absent if no other process queues
   * calls in the store.
   */
  readonly behindOthers?: ((call: ToolCall, join: () => void) => void) | undefined
  /** Called once other processes run these calls: after that, nothing is stored. */
  readonly onFenced?: (() => void) | undefined
  /** Called once the executor was shut down and runs nothing. */
  readonly onLeft?: (() => void) | undefined
}

const ends: ReadonlySet<ToolEvent["_tag"]> = new Set([
  "Completed",
  "Error",
  "Denied",
  "Cancelled",
  "BackgroundCompleted",
])

/** JSON of an output; undefined for an output that is too long for a store and so answers no other call. */
const outputText = (output: ToolOutput | undefined): string | undefined => {
  try {
    return output && keptText(output)
  } catch {
    return undefined
  }
}

/** JSON of the end of a call, with the data of the call that another process may need. */
const withNotes = (text: string, event: ToolEvent, call: Call): string => {
  const { madeWith, toolCall } = call
  const isPoisoned = (event as { readonly reason?: ErrorReason }).reason === "poisoned"
  const receipts = storedReceipts(call)
  if (madeWith === undefined && !isPoisoned && receipts === undefined) return text
  const notes: EndNotes = {
    ...(madeWith !== undefined && { madeWith }),
    ...(isPoisoned && { call: toolCall }),
    ...(receipts !== undefined && { receipts }),
  }
  return `${text.slice(0, -1)},${JSON.stringify(notes).slice(1)}`
}

/** The journal of one executor. */
export class StoreJournal implements ExecutorJournal {
  readonly firstSequence: number
  /** Calls that have ended here, until every later read of the store shows it: by their ids, whether their ends are stored. */
  private readonly endings = new Map<string, boolean>()
  readonly maxAttemptsOf: EntryOptions["maxAttemptsOf"]
  private readonly store: JournalStore
  private readonly options: JournalOptions
  private readonly entries = new Map<string, JournalEntry>()
  private readonly gathered: Gathered
  private readonly trials: Trials
  private readonly commits: Commits
  private readonly listeners = new Set<(event: ToolEvent) => void>()
  /** The id of a task that is being removed and is not in the store. */
  private unkept: string | undefined
  private attached: Engine | undefined
  /** The stored data of the call that is being taken in. */
  private known: Known | undefined
  /** How many calls have asked for their places in lanes, and how many of them, in the same order, have their places. */
  readonly joined = { asked: 0, done: 0 }
  /** True until hosts have had time to attach to the executor. */
  private isPaused = true

  constructor(store: JournalStore, options: JournalOptions) {
    this.store = store
    this.options = options
    this.firstSequence = store.firstSequence
    this.maxAttemptsOf = options.maxAttemptsOf
    this.trials = new Trials((call) => call.attempts >= options.maxAttemptsOf(call.tool, currentPart(call)))
    this.gathered = new Gathered((agentId) => this.engine.actions.all(agentId))
    this.commits = new Commits({
      store,
      gathered: this.gathered,
      onStoreError: options.onStoreError,
      onStored: (taken) => this.settled(taken),
      onReady: () => this.resume(),
      onRefused: (refusal) => this.refuse(refusal),
      onFenced: options.onFenced,
    })
  }

  attach(engine: Engine): void {
    this.attached = engine
    engine.mailbox.gate = (call, command) => this.allows(call, command)
  }

  get isClosed(): boolean {
    return this.commits.isClosed
  }

  /** Starts the calls. */
  begin(): void {
    this.isPaused = false
    this.resume()
  }

  /** Delivers the commands that were held back. */
  resume(): void {
    if (!this.isClosed) this.attached?.mailbox.deliver()
  }

  /** The parts of the executor that this journal is attached to. */
  get engine(): Engine {
    if (this.attached === undefined) throw new Error("This journal has no executor yet")
    return this.attached
  }

  /** Passes on each event once it is stored, and all deltas. Returns a function that removes the listener. */
  listen(listener: (event: ToolEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Resolves once all changes so far are stored. */
  stored(): Promise<void> {
    return this.commits.stored()
  }

  /** Stores a rule that an approval made. */
  made(rule: RuleRow): void {
    this.gathered.rows.rules.push(rule)
    this.commits.schedule()
  }

  /** Stores the answer to a request, together with its effect. */
  answered(request: number, answer: string): void {
    this.gathered.rows.answers.set(request, answer)
    this.commits.schedule()
  }

  /** Stops: other processes run these calls. */
  fence(): void {
    this.commits.fence()
  }

  close(): Promise<void> {
    this.trials.close()
    for (const entry of this.entries.values()) if (entry.leave()) this.gathered.call(entry)
    return this.commits.close()
  }

  left(): void {
    this.options.onLeft?.()
  }

  /** The agents with changes that are not stored yet; undefined if these may be of any agent. */
  unsettled(): Set<string> | undefined {
    return this.commits.unsettled()
  }

  /** Whether another process may take over a call at this moment. */
  isAtRest({ toolCall: { callId } }: Call): boolean {
    return this.entries.get(callId)?.isAtRest === true
  }

  /** Forgets a call at rest, which another process continues. */
  leave(call: Call): void {
    this.entries.delete(call.toolCall.callId)
    leaveCall(this.engine, call)
  }

  /** Whether a call has ended here, although rows that were read earlier may show it as open. */
  hasEnded(callId: string): boolean {
    return this.endings.has(callId)
  }

  /** Called before a read: it shows all ends that are stored. */
  forgetEndings(): void {
    for (const [callId, isStored] of this.endings) if (isStored) this.endings.delete(callId)
  }

  // --- Reports from the executor

  added(call: Call): void {
    const { known } = this
    const entry = new JournalEntry(call, this.options, known)
    this.gathered.admit(entry.agentId)
    this.entries.set(call.toolCall.callId, entry)
    // The row of a call that no executor has received is unchanged since it was enqueued.
    if (known?.row === undefined) this.note(entry, known === undefined)
    else if (entry.isAskedAnew) this.note(entry, true)
  }

  /** Calls `take` for a call that is stored already. `row`: the stored row, if an executor has received the call before. */
  takingIn(snapshot: CallSnapshot, row: WrittenRow | undefined, take: () => void): void {
    this.known = { snapshot, row }
    try {
      take()
    } finally {
      this.known = undefined
    }
  }

  holdsBack(call: Call, begin: () => void): boolean {
    if (this.trials.pauses(call, begin)) return true
    const waits = this.trials.mustWait(call)
    if (waits) this.trials.wait(call, begin)
    return waits
  }

  joins(call: Call, join: () => void): void {
    const { joined } = this
    const { behindOthers } = this.options
    if (this.known !== undefined || behindOthers === undefined) return join()
    const entry = this.entries.get(call.toolCall.callId)!
    entry.isNext = joined.asked === joined.done && !this.engine.lanes.isBusy(laneOf(call.toolCall))
    joined.asked += 1
    this.commits.hold(() =>
      behindOthers(call.toolCall, () => {
        joined.done += 1
        join()
        entry.isNext = false
        if (!call.hasTurn && !entry.isOver) this.note(entry, false)
      }),
    )
  }

  moved(call: Call): void {
    this.trials.moved(call)
    const entry = this.entries.get(call.toolCall.callId)
    if (entry?.call === call) this.note(entry, isUrgentState(call, this.options.hooks))
  }

  ended(call: Call): void {
    this.trials.moved(call)
    if (this.gathered.clean(call.toolCall.callId)) return this.commits.schedule()
    const entry = this.entries.get(call.toolCall.callId)
    if (entry?.call !== call) return
    this.entries.delete(call.toolCall.callId)
    entry.ended(Date.now())
    if (this.gathered.end(entry)) this.endings.set(entry.callId, false)
    this.commits.blockAll()
  }

  keepsResult(call: Call, text: string): boolean {
    const entry = this.entries.get(call.toolCall.callId)
    if (entry?.call !== call) return false
    try {
      entry.whole = keptText(text)
      return true
    } catch {
      // The text is too long for a store.
      return false
    }
  }

  async wholeResult(agentId: string, callId: string): Promise<string | undefined> {
    // The end of the call may be about to be stored.
    await this.commits.stored()
    const text = await this.store.wholeResult?.(agentId, callId)
    return text === undefined ? undefined : String(JSON.parse(text))
  }

  async nestedEnd(callId: string): Promise<NestedEnd | undefined> {
    // The call may have ended in this process just now.
    await this.commits.stored()
    const text = await this.store.result?.(callId)
    if (text === undefined) return undefined
    const event = JSON.parse(text) as NestedEnd["event"] & Pick<NestedEnd, "madeWith">
    return { event, madeWith: event.madeWith }
  }

  async receipts(agentId: string): Promise<ReadonlyArray<StoredReceipts>> {
    return ((await this.store.receipts?.(agentId)) ?? []).flatMap(receiptsIn)
  }

  keep(call: Call): Promise<void> {
    this.moved(call)
    return this.stored()
  }

  async claimKey(call: Call, key: string): Promise<KeyAnswer> {
    // A call of this process that had the key may have ended without being stored yet.
    await this.commits.stored()
    const isWanted = () => call.isActive && !this.isClosed
    const text = await this.store.claimKey?.(key, call.toolCall.callId, isWanted)
    return text === undefined ? undefined : { output: JSON.parse(text) as ToolOutput }
  }

  async keyOutput(key: string): Promise<ToolOutput | undefined> {
    await this.commits.stored()
    const text = await this.store.keyOutput?.(key)
    return text === undefined ? undefined : (JSON.parse(text) as ToolOutput)
  }

  endKey(call: Call, key: string, output: ToolOutput | undefined, ttl: number): void {
    this.gathered.rows.keys.push({ key, callId: call.toolCall.callId, output: outputText(output), ttl })
    this.commits.schedule()
  }

  get isShared(): boolean {
    return this.store.isShared === true
  }

  async takeUses({ toolCall }: Call, uses: ReadonlyArray<LimitUse>): Promise<FullLimit | undefined> {
    // A call keeps its place until its row records its end.
    await this.commits.stored()
    return this.store.takeUses?.(toolCall.callId, uses, this.engine.deadlines.time())
  }

  leaveUses({ toolCall }: Call): void {
    this.store.leaveUses?.(toolCall.callId)
  }

  allows(call: Call, command: Command): boolean {
    if (this.isClosed || this.isPaused) return false
    if (!isOutward(command, this.options.hooks)) return true
    if (this.store.isCurrent === false) return false
    const isRun = command._tag === "Run" || command._tag === "RunFinal"
    const entry = this.entries.get(call.toolCall.callId)
    // A handler that has to wait is asked when it would begin, so it has not begun.
    if (isRun && this.trials.mustWait(call)) return true
    if (entry !== undefined && (isRun || command._tag === "Reply") && entry.begin()) this.note(entry, true)
    return this.commits.isReady(entry?.commit)
  }

  kept(task: BackgroundTask): void {
    const { id, agentId, endedAt = Date.now() } = task
    if (this.gathered.isRefused(id)) return queueMicrotask(() => this.takeUnkept(id))
    this.gathered.rows.tasks.set(id, { taskId: id, agentId, endedAt, task: taskText(task) })
    this.commits.schedule()
  }

  forgot(taskId: string): void {
    if (taskId === this.unkept) return
    this.gathered.rows.tasks.set(taskId, undefined)
    this.commits.schedule()
  }

  staged(agentId: string): void {
    this.gathered.staged(agentId)
    this.commits.blockAll()
  }

  dropping(agentId: string, action: StagedAction): void {
    this.gathered.drop(agentId, action)
    this.commits.blockAll()
  }

  private note(entry: JournalEntry, isUrgent: boolean): void {
    this.gathered.call(entry)
    if (isUrgent) entry.commit = this.commits.markUrgent()
    else this.commits.scheduleLate()
  }

  get isHolding(): boolean {
    return this.commits.isHolding
  }

  told(event: ToolEvent, give: () => void): void {
    // A closed journal passes on only the events of refused requests.
    if (this.isClosed) return give()
    this.commits.told(event.seq)
    if (event._tag === "Delta") {
      if (!this.isHolding) return this.give(event, give)
    } else this.noteEvent(event)
    this.commits.hold(() => this.give(event, give))
  }

  after(act: () => void, lost?: (error: Error) => void): void {
    this.commits.after(act, lost)
  }

  private give(event: ToolEvent, give: () => void): void {
    give()
    for (const listener of this.listeners) listener(event)
  }

  private noteEvent(event: ToolEvent): void {
    const { agentId, seq, at } = event
    const text = eventText(event)
    this.gathered.rows.events.push({ seq, agentId, at, event: text })
    if (!("callId" in event)) return
    const entry = this.entries.get(event.callId)
    if (entry === undefined) return
    if (event._tag === "Started" || event._tag === "BackgroundStarted") {
      entry.toldStarted = true
      entry.toldBackground ||= event._tag === "BackgroundStarted"
      // The row records this in the same transaction.
      this.gathered.call(entry)
    }
    if (ends.has(event._tag)) entry.result = withNotes(text, event, entry.call)
  }

  /** Whether a question of the inbox is the open one of its call. */
  isOpen(callId: string, question: AskedQuestion): boolean {
    return this.entries.get(callId)?.isOpen(question) === true
  }

  private settled({ entries, ended }: Taken): void {
    for (const entry of entries) entry.isKnown = true
    for (const { callId } of ended) this.endings.set(callId, true)
  }

  /** Whether any refused call has not ended. Until then, calls of the store with the same ids must not be taken in. */
  get isRefusing(): boolean {
    return this.gathered.isRefusing
  }

  /** Ends calls that the store refuses. Of these, the store keeps only the events, including the refusal. */
  private refuse(refusal: RefusedError): void {
    this.gathered.leaveOut(refusal.agentIds)
    for (const [callId, reason] of refusedCalls(refusal, this.entries.values())) {
      const isOpen = this.entries.has(callId)
      this.gathered.refuse(callId, isOpen)
      this.endings.delete(callId)
      const call = isOpen ? this.engine.calls.get(callId) : undefined
      if (call !== undefined) this.engine.cancelOne(call, reason)
      else if (!isOpen) this.takeUnkept(callId)
    }
  }

  /** Removes the task of a refused call, but not from the store, where its id belongs to another task. */
  private takeUnkept(taskId: string): void {
    this.unkept = taskId
    this.engine.tasks.take(taskId)
    this.unkept = undefined
  }
}
