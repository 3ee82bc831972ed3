/**
 * Carries out what `transition` wants done for one call: runs handlers, asks, tells, keeps time. What a host answers
 * changes the state at once; the commands that follow wait for the mailbox, so that nothing of a tool, a filter or a
 * consumer runs inside the host's own call.
 */
import * as Effect from "effect/Effect"
import type { Fiber } from "effect/Fiber"
import type { Scope } from "effect/Scope"
import { resolveName } from "../../resolve/definition.ts"
import type { EventSink } from "../events/event-queue.ts"
import { byCall, type DecidedBy } from "../model/decision.ts"
import type { ActionResolvedEvent, ApproveOptions, TerminalEvent, ToolResult } from "../model/event.ts"
import { messageOf } from "../model/failure.ts"
import type { HostEffect } from "../model/host-effect.ts"
import { type CallFilter, formatMillis, type Hooks } from "../model/options.ts"
import { cancelled, deniedByUser, noBackground, type Stopped, terminalEvent } from "../model/outcome.ts"
import { outputFault, textOf, toOutput } from "../model/output.ts"
import type { HandlerPart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import { type DurationInput, type Step, ToolError } from "../model/step.ts"
import type { Tool } from "../model/tool.ts"
import type { Receiver } from "../schedule/mailbox.ts"
import type { PlaceTaker } from "../schedule/pool.ts"
import type { RunningTask, TaskStatus } from "../stores/background-tasks.ts"
import { type AdmissionRules, admit } from "./admission.ts"
import { isJudged, judge } from "./after-call.ts"
import { type Asker, askHost, openQuestion, readChoice, rememberCall } from "./asking.ts"
import { Attempt, type AttemptOwner, type HandlerEffect } from "./attempt.ts"
import { withoutBackground } from "./call-input.ts"
import { CallTimer } from "./call-timer.ts"
import { checkedOutput } from "./checked-output.ts"
import type { Command } from "./command.ts"
import type { Engine } from "./engine.ts"
import { AttemptContext } from "./handler-context.ts"
import type { Input } from "./input.ts"
import type { Origin } from "./origin.ts"
import { claimAction, stageAction } from "./resolving.ts"
import { reviewGate, ruleGate } from "./reviewing.ts"
import { type CallSnapshot, writeCall } from "./snapshot.ts"
import { type CallRecord, type CallState, makeRecord } from "./state.ts"
import { CallStream } from "./stream.ts"
import type { Submission } from "./submission.ts"
import { resolvedEvent, type Teller, tellAnnounced, tellDecision, tellEnded, tellStarted } from "./telling.ts"
import { movesAt, timeLimit, timeoutMessage, unreadMessage } from "./time-limits.ts"
import type { CallSpan } from "./tracing.ts"
import { transition } from "./transition.ts"

const ignore = () => undefined

const turn: Input = { _tag: "Turn" }
const judged: Input = { _tag: "Judged" }
const placed: Input = { _tag: "Placed" }

/** One call that has not ended: its record, and what carries out the commands that `transition` gives for it. */
export class CallActor
  implements Receiver<Command>, PlaceTaker, RunningTask, AdmissionRules, AttemptOwner, Asker, Teller
{
  readonly engine: Engine
  readonly record: CallRecord
  /** What it was enqueued with. */
  readonly submission: Submission
  startedAt: number | undefined
  hasPlace = false
  askedAt = 0
  stream: CallStream | undefined
  span: CallSpan | undefined
  resolved: ActionResolvedEvent | undefined
  /** The signal of the host's function that is asked: a hook, or what answers an effect. */
  controller: AbortController | undefined
  private event: TerminalEvent | undefined
  private attempt: Attempt | undefined
  private context: AttemptContext | undefined
  /** The `run` that was begun: each is begun once. */
  private begun = 0
  /** Why what runs is being ended, where somebody wanted to know before it is told. */
  private stopReason: DOMException | undefined
  private timer: CallTimer | undefined

  constructor(engine: Engine, submission: Submission, record = makeRecord(submission.call)) {
    this.engine = engine
    this.record = record
    this.submission = submission
  }

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
  private receiveHere(input: Input): boolean {
    const took = this.apply(input)
    this.engine.mailbox.deliver(this)
    return took
  }

  /** From the host: what follows is done when its code has returned. */
  private answer(input: Input): boolean {
    const took = this.apply(input)
    this.engine.mailbox.schedule()
    return took
  }

  private apply(input: Input): boolean {
    const took = transition(this.record, input, this.engine.outbox.for(this))
    this.timer?.follow(this.record.state)
    return took
  }

  // --- The host's answers

  /** Approves the gate that is open, or, while it is `requested`, the call. */
  approve(options?: ApproveOptions, id?: number): boolean {
    const { params, reason, remember } = options ?? {}
    const edit = params !== undefined
    // Where it runs is settled: `background` among edited parameters changes nothing.
    const edited = edit ? withoutBackground(params, this.tool) : undefined
    const answer: Input = {
      _tag: "Approve",
      id,
      edit,
      params: edited,
      reason,
      remember: readChoice(remember),
    }
    if (!this.answer(answer)) return false
    const { subject, decidedBy } = this.record
    tellDecision(this, "approve", decidedBy, edit ? { name: subject.name, params: edited } : subject)
    return true
  }

  deny(reason?: string, id?: number): boolean {
    return this.answer({ _tag: "Deny", id, outcome: deniedByUser(reason) })
  }

  succeed(value: unknown, id: number): boolean {
    const question = openQuestion(this.record)
    if (question?.kind !== "delegate" || question.id !== id) return false
    const output = value === undefined || value === null ? undefined : toOutput(value)
    if (output === undefined && value !== undefined && value !== null) {
      const message = `The host's answer to ${question.effect._tag} ${outputFault(value)}`
      return this.answer({ _tag: "AnswerFailed", id, message })
    }
    // A finally handler's answer is its own: it does not change the result.
    if (this.record.state._tag === "Cleaning" && this.attempt !== undefined) this.attempt.answer = output
    return this.answer({ _tag: "Answered", id, output })
  }

  fail(message: unknown, id: number): boolean {
    return this.answer({ _tag: "AnswerFailed", id, message: messageOf(message) })
  }

  /** Answers the effect that is open, unless a function is answering it. */
  respond(answer: { readonly output?: unknown } | { readonly error: unknown }): boolean {
    const question = openQuestion(this.record)
    if (question?.kind !== "delegate" || this.controller !== undefined) return false
    return "error" in answer ? this.fail(answer.error, question.id) : this.succeed(answer.output, question.id)
  }

  cancel(reason?: string, by?: DecidedBy): boolean {
    return this.answer({ _tag: "Cancel", outcome: cancelled(reason, by) })
  }

  /** A call that has started goes on in the background, and its lane moves on. */
  toBackground(): boolean {
    if (!this.mayMove || !this.answer({ _tag: "ToBackground" })) return false
    this.engine.tasks.started(this)
    const { state } = this.record
    this.timer?.restart(state, this.timeLimit)
    if (state._tag === "Running") this.suspended()
    return true
  }

  /** It is no call, or comes too late: it ends with nothing run. */
  reject(outcome: Stopped): void {
    this.answer({ _tag: "Refused", outcome })
  }

  /** Only the finally handlers of an action run, that nobody resolves any more. */
  drop(action: StagedAction): void {
    this.answer({ _tag: "Drop", action })
  }

  /** It will not run: it ends so when its turn comes. */
  refuse(outcome: Stopped): void {
    this.record.call.decision = "deny"
    this.record.refusal = outcome
  }

  // --- What the handlers gave

  fork(effect: HandlerEffect, scope?: Scope): Fiber<unknown, unknown> {
    // What a finally handler acquires is its own.
    if (this.record.state._tag === "Cleaning") return this.engine.fork(Effect.scoped(effect))
    return this.engine.fork(effect, scope)
  }

  scoped(): void {
    this.record.scoped = true
  }

  unclosed(error: unknown): void {
    this.record.cleanupErrors ??= []
    this.record.cleanupErrors.push(`Scope: ${messageOf(error)}`)
  }

  returned(run: number, step: Step, more: boolean): void {
    try {
      this.apply({ _tag: "Returned", run, step, more })
    } catch (error) {
      // A step that a handler made up may throw when it is read.
      this.failed(run, error)
    }
    this.engine.mailbox.deliver(this)
  }

  exhausted(run: number): void {
    this.receiveHere({ _tag: "Exhausted", run })
  }

  failed(run: number, error: unknown, cause: unknown = error, more = false): void {
    const thrown = !(error instanceof ToolError)
    const reason = thrown ? "failed" : error.reason
    this.receiveHere({ _tag: "Failed", run, message: messageOf(error), cause, thrown, more, reason })
  }

  asked(effect: HostEffect, timeout: DurationInput | undefined): boolean {
    return this.receive({ _tag: "Asked", run: this.record.run, effect, timeout })
  }

  get refusal(): DOMException | undefined {
    if (this.record.state._tag !== "Stopping") return undefined
    this.stopReason ??= reasonOf(this.record, this.engine.settings.finallyTimeout)
    return this.stopReason
  }

  streamed(content: string, partial: unknown): Promise<void> | undefined {
    this.stream ??= new CallStream(this.record.call)
    this.stream.transcript.append(content)
    return this.sink.delta(this.stream, content, partial)
  }

  // --- Commands

  execute(command: Command): void {
    switch (command._tag) {
      case "Prepare":
        return this.prepare()
      case "TellStarted":
        return tellStarted(this)
      case "Announce":
        return this.announce()
      case "Run":
        return this.run(command)
      case "Reply":
        return this.reply()
      case "Stream":
        return this.tellDelta(command.content, command.partial)
      case "Rule":
        return ruleGate(this)
      case "Review":
        return reviewGate(this)
      case "Ask":
        return askHost(this)
      case "CloseQuestion":
        return this.abortFunction(new DOMException("Nobody waits for the answer any more", "AbortError"))
      case "Remember":
        return rememberCall(this, command.choice)
      case "TakePlace":
        return this.takePlace()
      case "ReleasePlace":
        return this.engine.pool.release(this)
      case "LeaveLane":
        return this.engine.leaveLane(this.submission)
      case "Stage":
        return this.stage()
      case "SettleAction":
        this.engine.actions.settle(this.agentId, command.action)
        this.resolved = resolvedEvent(this, command.action)
        return
      case "RestoreAction":
        return this.engine.actions.restore(this.agentId, command.action)
      case "Interrupt":
        return this.interrupt()
      case "Close":
        return this.close()
      case "RunFinal":
        return this.runFinal(command)
      case "Judge":
        return this.judge()
      case "TellEnd":
        return this.tellEnd()
    }
  }

  private prepare(): void {
    const { record, tool, engine } = this
    if (record.state._tag !== "Preparing") return
    const { call } = record
    this.attempt = undefined
    if (tool === undefined) return this.refused(engine.unknownTool(call.agentId, call.name))
    if (call.background && !tool.background) return this.refused(noBackground(call.name))
    const admission = admit(call, tool, this)
    if (!(admission instanceof Promise)) return void this.receive(admission)
    this.suspended()
    void admission.then((admitted) => {
      this.controller = undefined
      this.receiveHere(admitted)
    })
  }

  get filters(): CallFilter | undefined {
    return this.engine.filters
  }

  get hooks(): Hooks {
    return this.engine.settings.hooks
  }

  get hookSignal(): AbortSignal {
    this.controller ??= new AbortController()
    return this.controller.signal
  }

  private refused(outcome: Stopped): void {
    this.receive({ _tag: "Refused", outcome })
  }

  private run(command: Command): void {
    const { record } = this
    if (record.state._tag !== "Running" || this.begun === record.run) return
    if (!this.engine.budget.take()) return this.wait(command)
    this.begun = record.run
    if (record.call.name === resolveName && record.resolving === undefined && claimAction(this)) return
    const attempt = this.newAttempt()
    if (attempt.isReading) return attempt.pull(record.run)
    const { handler } = record.parts[record.at] as HandlerPart<unknown>
    attempt.run(record.run, handler, this.context!, this.span?.handler(handler.name))
  }

  private runFinal(command: Command): void {
    const { record } = this
    if (record.state._tag !== "Cleaning" || this.begun === record.run) return
    if (!this.engine.budget.take()) return this.wait(command)
    this.begun = record.run
    if (this.attempt?.isReading === true) return this.attempt.pull(record.run)
    // Each has a signal of its own.
    this.attempt?.finish()
    this.attempt = undefined
    const { handler } = record.finals[record.state.part]!
    this.newAttempt().run(record.run, handler, this.context!, this.span?.handler(handler.name))
  }

  private newAttempt(): Attempt {
    if (this.attempt === undefined) {
      this.attempt = new Attempt(this)
      this.context = new AttemptContext(this.attempt)
    }
    return this.attempt
  }

  /** Lets the event loop turn before it goes on. */
  private wait(command: Command): void {
    this.suspended()
    const { mailbox, budget } = this.engine
    budget.wait(() => {
      mailbox.send(this, command)
      mailbox.deliver()
    })
  }

  private reply(): void {
    const { reply } = this.record
    this.record.reply = undefined
    if (reply !== undefined) this.attempt?.reply(reply)
  }

  private tellDelta(content: string, partial: unknown): void {
    const { run, state } = this.record
    if (state._tag !== "Running" && state._tag !== "Cleaning") return
    let room: Promise<void> | undefined
    try {
      room = this.streamed(String(content), partial)
    } catch (error) {
      return this.failed(run, error, error, this.record.more)
    }
    if (room === undefined) return void this.receive({ _tag: "Flowed", run })
    this.blocked()
    void room.then(() => {
      this.unblocked()
      this.receiveHere({ _tag: "Flowed", run })
    })
  }

  private announce(): void {
    this.receive({ _tag: "Announced" })
    if (this.record.announced === "yes") tellAnnounced(this)
  }

  private takePlace(): void {
    if (this.record.place !== "asked") return
    if (this.engine.pool.take(this)) this.placed()
    else this.timer?.stop()
  }

  private stage(): void {
    if (this.record.state._tag === "Running") stageAction(this)
  }

  private abortFunction(reason: DOMException): void {
    const { controller } = this
    this.controller = undefined
    controller?.abort(reason)
  }

  /** Ends what runs: the attempt, or what a cancel found before there was one. */
  private interrupt(): void {
    const { record } = this
    const reason = this.stopReason ?? reasonOf(record, this.engine.settings.finallyTimeout)
    this.stopReason = undefined
    this.abortFunction(reason)
    const { run } = record
    if (record.state._tag !== "Stopping") this.attempt?.end(reason, ignore)
    else this.stopped(() => this.attempt?.end(reason, () => this.receive({ _tag: "Stopped", run })))
  }

  private close(): void {
    const { record } = this
    if (record.state._tag !== "Stopping") return
    const { run } = record
    this.stopped(() => this.attempt?.close(() => this.receive({ _tag: "Stopped", run })))
  }

  private stopped(end: () => void): void {
    if (this.attempt === undefined) this.receive({ _tag: "Stopped", run: this.record.run })
    else {
      end()
      if (this.record.state._tag === "Stopping") this.suspended()
    }
  }

  private judge(): void {
    this.attempt?.finish()
    const event = checkedOutput(this.tool, this.terminalEvent())
    if (!(event instanceof Promise)) return this.askHook(event)
    this.suspended()
    void event.then((checked) => this.askHook(checked))
  }

  /** Asks the host's hook what is to become of the result. */
  private askHook(event: TerminalEvent): void {
    const { record, engine } = this
    if (record.state._tag !== "Judging") return
    const { afterCall } = engine.settings.hooks
    this.event = event
    if (afterCall === undefined || !isJudged(event)) return void this.receive(judged)
    const controller = new AbortController()
    this.controller = controller
    this.suspended()
    void judge(afterCall, record.call, event, this.tool?.outputCheck, controller.signal).then((last) => {
      if (record.state._tag !== "Judging") return
      this.event = last
      this.receive(judged)
    })
  }

  private terminalEvent(): TerminalEvent {
    const { call, outcome, output, decidedBy, edited, staged, cleanupErrors } = this.record
    const streamed = this.stream === undefined ? "" : this.stream.transcript.toString()
    return terminalEvent({
      call,
      outcome: outcome!,
      output,
      streamed,
      decidedBy,
      edited,
      staged,
      cleanupErrors,
    })
  }

  private tellEnd(): void {
    const { engine } = this
    const wasActive = engine.ended(this.submission)
    tellEnded(this, this.event ?? this.terminalEvent())
    if (!wasActive) return
    if (this.record.call.background) engine.tasks.over(this.callId)
    engine.leaveLane(this.submission)
  }

  // --- Time

  /** It waits: from here on the time that its state allows may run out. */
  suspended(): void {
    const { state, place } = this.record
    if (place === "asked") return
    const limit = this.timeLimit
    if (limit === Number.POSITIVE_INFINITY) return
    this.timer ??= new CallTimer(this.engine.deadlines, () => this.timedOut())
    this.timer.start(state, limit)
  }

  private get mayMove(): boolean {
    return this.tool?.background === true
  }

  private get timeLimit(): number {
    return timeLimit(this.record, this.engine.settings, this.mayMove)
  }

  /** The handler waits for its consumer: its own time stands still. A finally handler's does not. */
  blocked(): void {
    const { state } = this.record
    if (state._tag !== "Running") return this.suspended()
    this.timer ??= new CallTimer(this.engine.deadlines, () => this.timedOut())
    this.timer.block(state, this.engine.settings.consumerTimeout)
  }

  /** It does not wait any more. */
  unblocked(): void {
    if (this.timer?.unblock() === true) this.suspended()
  }

  private timedOut(): void {
    const { record } = this
    const { settings } = this.engine
    if (this.timer?.isBlocked === true) {
      this.timer.isBlocked = false
      return void this.receive({ _tag: "TimedOut", message: unreadMessage(settings.consumerTimeout) })
    }
    if (movesAt(record, settings, this.mayMove)) return void this.toBackground()
    if (record.state._tag === "Judging") {
      this.abortFunction(new DOMException("The hook took too long", "TimeoutError"))
    }
    this.receive({ _tag: "TimedOut", message: timeoutMessage(record, settings) })
  }

  // --- Written down and read back

  snapshot(): CallSnapshot {
    const streamed = this.stream?.transcript.toString() ?? ""
    return writeCall(this.record, { streamed, timeLeft: this.timer?.timeLeft })
  }

  /** What the record of a restored call does not hold. */
  resume({ standing }: CallSnapshot): void {
    if (standing?.streamed !== undefined) {
      this.stream = new CallStream(this.record.call)
      this.stream.transcript.append(standing.streamed)
    }
    if (standing?.timeLeft !== undefined) {
      this.timer = new CallTimer(this.engine.deadlines, () => this.timedOut(), standing.timeLeft)
    }
    if (this.record.announced === "yes") this.engine.tasks.started(this)
  }

  // --- For inspection

  get taskStatus(): TaskStatus {
    const { state, place } = this.record
    if (state._tag === "Asking") return "waiting"
    return place === "asked" ? "pending" : "running"
  }

  get decidedBy(): DecidedBy | undefined {
    return this.record.decidedBy
  }

  outputSince(characters: number): { readonly text: string; readonly end: number } {
    return this.stream?.transcript.since(characters) ?? { text: "", end: 0 }
  }

  get outputSoFar(): string {
    const { output } = this.record
    return output === undefined ? (this.stream?.transcript.toString() ?? "") : textOf(output)
  }
}

/** Why what runs is ended, as its signal says it. */
const reasonOf = (record: CallRecord, finallyTimeout: number): DOMException => {
  const { state } = record
  if (state._tag !== "Stopping" && state._tag !== "Ended") {
    const late = `The finally handler did not end within ${formatMillis(finallyTimeout)}`
    return new DOMException(late, "TimeoutError")
  }
  const outcome = state._tag === "Stopping" ? endOf(state.then) : record.outcome
  if (outcome === undefined || outcome._tag === "Completed") {
    return new DOMException("Runs again with edited parameters", "AbortError")
  }
  const isLate = outcome._tag === "Error" && outcome.reason === "timeout"
  return new DOMException(outcome.message, isLate ? "TimeoutError" : "AbortError")
}

const endOf = (then: Extract<CallState, { readonly _tag: "Stopping" }>["then"]) =>
  then._tag === "End" ? then.outcome : undefined
