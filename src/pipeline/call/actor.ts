/**
 * Carries out what `transition` wants done for one call, and takes the host's answers. An answer changes the state at once;
 * the commands that follow wait for the mailbox, so that nothing of a tool, a filter or a consumer runs inside the host's
 * own call.
 */

import { outputFault, textOf, toOutput } from "../../output/output.ts"
import type { RunningTask, TaskStatus } from "../../tasks/background-tasks.ts"
import { messageOf } from "../../text/message-of.ts"
import { CallSpan } from "../../tracing/call-span.ts"
import type { CancellingParty, DecidedBy } from "../model/decision.ts"
import {
  type ActionResolvedEvent,
  type ApproveOptions,
  expectApproval,
  type TerminalEvent,
} from "../model/event.ts"
import { cancelled, deniedByUser, type Stopped } from "../model/outcome.ts"
import type { StagedAction } from "../model/staged-action.ts"
import { isJudged, judge } from "./after-call.ts"
import { type Asker, askHost, openQuestion, readChoice, rememberCall } from "./asking.ts"
import { withoutBackground } from "./call-input.ts"
import { checkedOutput } from "./checked-output.ts"
import type { Command } from "./command.ts"
import type { Input } from "./input.ts"
import { beforeOf } from "./machine.ts"
import { claimAction, stageAction } from "./resolving.ts"
import { reviewGate, ruleGate } from "./reviewing.ts"
import type { CallSnapshot } from "./snapshot.ts"
import { CallStream } from "./stream.ts"
import {
  endOf,
  settledEvent,
  type Teller,
  tellAnnounced,
  tellDecision,
  tellEnded,
  tellStarted,
} from "./telling.ts"
import { CallWork } from "./work.ts"
import { type Beside, writeCall } from "./write-snapshot.ts"

const judged: Input = { _tag: "Judged" }

/** One call that has not ended. */
export class CallActor extends CallWork implements RunningTask, Asker, Teller {
  askedAt = 0
  resolved: ActionResolvedEvent | undefined
  private event: TerminalEvent | undefined

  // --- The host's answers

  /** Approves the gate that is open, or, while it is `requested`, the call. */
  approve(options?: ApproveOptions, id?: number): boolean {
    if (options !== undefined) expectApproval(options)
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
    const { error, output } = answer as { readonly error?: unknown; readonly output?: unknown }
    if (error === undefined || error === null) return this.succeed(output, question.id)
    return this.fail(error, question.id)
  }

  cancel(reason?: string, by?: CancellingParty): boolean {
    return this.answer({ _tag: "Cancel", outcome: cancelled(reason, by) })
  }

  /** A call that has started goes on in the background, and its lane moves on. */
  toBackground(): boolean {
    if (!this.mayMove || !this.answer({ _tag: "ToBackground" })) return false
    this.engine.tasks.started(this)
    const { state } = this.record
    this.timed().restart(state, this.timeLimit)
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
        this.span?.asks(this.record, true)
        return reviewGate(this)
      case "Ask":
        this.span?.asks(this.record)
        return askHost(this)
      case "CloseQuestion":
        return this.closeQuestion()
      case "Remember":
        return rememberCall(this, command.choice)
      case "TakePlace":
        return this.takePlace()
      case "ReleasePlace":
        // One that it was given since is its own.
        if (this.record.place !== "held") this.engine.pool.release(this)
        return
      case "LeaveLane":
        return this.engine.leaveLane(this.submission)
      case "Stage":
        return this.stage()
      case "SettleAction":
        this.engine.actions.settle(this.agentId, command.action)
        this.resolved = settledEvent(this.record.call, command.action)
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

  protected claim(): boolean {
    return claimAction(this)
  }

  private judge(): void {
    this.attempt?.finish()
    const event = checkedOutput(this.tool, endOf(this))
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

  private tellEnd(): void {
    const { engine } = this
    const wasActive = engine.ended(this.submission)
    tellEnded(this, this.event ?? endOf(this))
    if (!wasActive) return
    engine.journal?.ended(this)
    if (this.record.call.background) engine.tasks.over(this.callId)
    engine.leaveLane(this.submission)
  }

  // --- Written down and read back

  beside(): Beside {
    const streamed = this.stream?.transcript.toString() ?? ""
    const { timer, before } = this
    const timeLeft = timer === undefined ? before?.timeLeft : timer.timeLeft
    const traceParent = this.span?.traceParent ?? before?.traceParent
    return { streamed, timeLeft, resolved: this.resolved, traceParent }
  }

  snapshot(): CallSnapshot {
    return writeCall(this.record, this.beside())
  }

  /** What the record of a restored call does not hold. */
  resume({ standing, startedAt }: CallSnapshot): void {
    this.startedAt = startedAt
    this.resolved = standing?.resolved
    if (standing?.settled === true && standing.action !== undefined)
      this.resolved ??= settledEvent(this.record.call, standing.action)
    this.before = standing && beforeOf(standing, this.engine.deadlines.time())
    if (standing?.streamed !== undefined) {
      this.stream = new CallStream(this.record.call)
      this.stream.transcript.append(standing.streamed)
    }
    if (this.record.announced === "yes") this.engine.tasks.started(this)
    this.trace()
  }

  private trace(): void {
    const { record, engine, tool } = this
    const { tracers } = engine.watchers
    if (tracers !== undefined && record.started)
      this.span = new CallSpan(tracers, record.call, tool, this.before?.traceParent)
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
