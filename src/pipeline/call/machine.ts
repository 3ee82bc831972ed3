/**
 * One call as its executor drives it: what happens to it goes through `transition`, what follows goes to the mailbox, and
 * the time that its state allows runs out. What is done then, and for whom, is its handlers' and its host's part.
 */

import type { CallSpan } from "../../tracing/call-span.ts"
import type { EventSink } from "../events/event-sink.ts"
import { byCall } from "../model/decision.ts"
import type { ToolResult } from "../model/event.ts"
import { cancelled } from "../model/outcome.ts"
import type { Tool } from "../model/tool.ts"
import type { Receiver } from "../schedule/mailbox.ts"
import type { PlaceTaker } from "../schedule/pool.ts"
import { CallTimer } from "./call-timer.ts"
import type { Command } from "./command.ts"
import { ranOut } from "./editor-silence.ts"
import type { Engine } from "./engine.ts"
import type { Input } from "./input.ts"
import type { Origin } from "./origin.ts"
import type { StandingSnapshot } from "./snapshot.ts"
import { type CallRecord, makeRecord } from "./state.ts"
import type { Submission } from "./submission.ts"
import { movesAt, timeLimit, timeoutMessage, unreadMessage } from "./time-limits.ts"
import { transition } from "./transition.ts"
import type { Beside } from "./write-snapshot.ts"

const turn: Input = { _tag: "Turn" }
const placed: Input = { _tag: "Placed" }

/** What a restored call brings along, beside its record. */
export interface Before {
  /** Milliseconds that its question was open. */
  readonly waited: number
  /** Milliseconds that it may still run; undefined where it has not run within a limit. */
  readonly timeLeft: number | undefined
  /** The `traceparent` of it, for a later process, where nobody traces it in this one. */
  readonly traceParent: string | undefined
}

/** `now`: milliseconds since 1970. */
export const beforeOf = (
  { question, askedAt, timeLeft, traceParent }: StandingSnapshot,
  now: number,
): Before => ({
  waited: askedAt === undefined || question?.kind !== "approval" ? 0 : Math.max(0, now - askedAt),
  timeLeft,
  traceParent: typeof traceParent === "string" ? traceParent : undefined,
})

/** A call's record, what may happen to it, and its time. */
export abstract class CallMachine implements Receiver<Command>, PlaceTaker {
  readonly engine: Engine
  readonly record: CallRecord
  /** What it was enqueued with. */
  readonly submission: Submission
  startedAt: number | undefined
  hasPlace = false
  span: CallSpan | undefined
  /** The signal of the host's function that is asked: a hook, or what answers an effect. */
  controller: AbortController | undefined
  protected timer: CallTimer | undefined
  /** What an earlier process knew of it. */
  protected before: Before | undefined
  /** Whether it goes on in another process: here nothing happens to it any more. */
  protected isLeft = false

  constructor(engine: Engine, submission: Submission, record = makeRecord(submission.call)) {
    this.engine = engine
    this.record = record
    this.submission = submission
  }

  abstract execute(command: Command): void

  /** What is written down of it beside its record. */
  abstract beside(): Beside

  /** A call that has started goes on in the background, and its lane moves on. */
  abstract toBackground(): boolean

  get tool(): Tool<unknown> | undefined {
    return this.submission.tool
  }

  get sink(): EventSink {
    return this.submission.to.sink
  }

  get onResult(): ((result: ToolResult) => void) | undefined {
    return this.submission.to.onResult
  }

  get asyncContext(): Origin {
    return this.submission.origin
  }

  get createdAt(): number {
    return this.submission.origin.at ?? this.startedAt ?? this.engine.deadlines.time()
  }

  get agentId(): string {
    return this.record.call.agentId
  }

  get callId(): string {
    return this.record.call.callId
  }

  get name(): string {
    return this.record.call.name
  }

  get params(): unknown {
    return this.record.call.params
  }

  // --- What comes in

  /** Its turn has come. False where it does not want it any more. */
  start(inContext: boolean): boolean {
    const isLate = this.submission.to.signal?.aborted === true
    const input: Input = isLate ? { _tag: "Cancel", outcome: cancelled(undefined, byCall) } : turn
    return inContext ? this.receiveHere(input) : this.receive(input)
  }

  placed(): boolean {
    return this.receive(placed)
  }

  /** From inside: what follows is done at once, or, while something else is being done, right after that. */
  receive(input: Input): boolean {
    const took = this.apply(input)
    this.engine.mailbox.deliver()
    return took
  }

  /** The same, from where its own async context is: what its handlers gave. */
  protected receiveHere(input: Input): boolean {
    const took = this.apply(input)
    this.engine.mailbox.deliver(this)
    return took
  }

  /** From the host: what follows is done when its code has returned. */
  protected answer(input: Input): boolean {
    const took = this.apply(input)
    this.engine.mailbox.schedule()
    return took
  }

  protected apply(input: Input): boolean {
    if (this.isLeft) return false
    const took = transition(this.record, input, this.engine.outbox.for(this))
    this.timer?.follow(this.record.state)
    this.span?.moved(this.record)
    this.engine.journal?.moved(this)
    return took
  }

  // --- Time

  /** It waits: from here on the time that its state allows may run out. */
  suspended(): void {
    const { state, place } = this.record
    if (place === "asked") return
    const limit = this.timeLimit
    if (limit === Number.POSITIVE_INFINITY) return
    this.timed().start(state, limit)
  }

  /** Does something after this time, where its state is still the same and its own time is not over before. */
  afterWaiting(millis: number, late: () => void): void {
    const { state } = this.record
    if (state._tag === "Asking" && this.timeLimit > millis) this.timed().expectWithin(state, millis, late)
  }

  protected get mayMove(): boolean {
    return this.tool?.background === true
  }

  protected get timeLimit(): number {
    const limit = timeLimit(this.record, this.engine.settings, this.mayMove)
    if (this.before === undefined || this.record.state._tag !== "Asking") return limit
    return this.record.asked === 1 ? Math.max(0, limit - this.before.waited) : limit
  }

  /** The handler waits for its consumer: its own time stands still. A finally handler's does not. */
  blocked(): void {
    const { state } = this.record
    if (state._tag !== "Running") return this.suspended()
    this.timed().block(state, this.engine.settings.consumerTimeout)
  }

  /** It does not wait any more. */
  unblocked(): void {
    if (this.timer?.unblock() === true) this.suspended()
  }

  /** Milliseconds until what it waits for, or how long it may run, is over; undefined where no limit is set. */
  get timeLeft(): number | undefined {
    return this.timer?.remaining
  }

  /** Made when time first runs: a restored call that waits for ever needs none. */
  protected timed(): CallTimer {
    this.timer ??= new CallTimer(this.engine.deadlines, this, this.before?.timeLeft)
    return this.timer
  }

  timedOut(): void {
    const { record } = this
    const { settings } = this.engine
    if (this.timer?.unblock() === true) {
      return void this.receive({ _tag: "TimedOut", message: unreadMessage(settings.consumerTimeout) })
    }
    if (movesAt(record, settings, this.mayMove)) return void this.toBackground()
    if (record.state._tag === "Judging") {
      this.abortFunction(new DOMException("The hook took too long", "TimeoutError"))
    }
    const { state } = record
    if ((state._tag === "Asking" || state._tag === "Cleaning") && state.question?.kind === "delegate")
      ranOut(record, state.question)
    this.receive({ _tag: "TimedOut", message: timeoutMessage(record, settings) })
  }

  protected closeQuestion(): void {
    // Most questions are the host's, and an exception takes longer to make than they do to close.
    if (this.controller === undefined) return
    this.abortFunction(new DOMException("Nobody waits for the answer any more", "AbortError"))
  }

  protected abortFunction(reason: DOMException): void {
    const { controller } = this
    this.controller = undefined
    controller?.abort(reason)
  }
}
