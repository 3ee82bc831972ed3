/**
 * One call from its turn to its terminal event: admission, attempts, the questions it puts to the host, its end.
 * `phase` says where it stands. Whatever comes from outside finds the phase, or the open question, changed, or counts.
 */

import { withHint } from "../resolve/reminder.ts"
import { type Admission, admit } from "./admission.ts"
import { judge } from "./after-call.ts"
import type { RunningTask, TaskStatus } from "./background-tasks.ts"
import type { ToolCall } from "./call.ts"
import { CallClock } from "./call-clock.ts"
import { Cleanup, type CleanupHost } from "./cleanup.ts"
import { delegate } from "./delegate.ts"
import type { Engine } from "./engine.ts"
import type { ApproveOptions, TerminalEvent, ToolEvent, ToolResult } from "./event.ts"
import type { DeltaSource, EventSink } from "./event-queue.ts"
import { Gatekeeper } from "./gatekeeper.ts"
import type { HostEffect } from "./host-effect.ts"
import {
  type Ending,
  type HandlerObserver,
  Interpreter,
  type InterpreterOwner,
  type MainPart,
} from "./interpreter.ts"
import { formatMillis } from "./options.ts"
import * as outcomes from "./outcome.ts"
import { type ToolOutput, textOf, textOutput } from "./output.ts"
import type { StagedAction } from "./pending-actions.ts"
import type { FinallyPart, ToolPipeline } from "./pipeline.ts"
import type { Release } from "./pool.ts"
import { Approval, type Asker, type Question } from "./question.ts"
import type { DurationInput } from "./step.ts"
import { stopAttempt } from "./stop-attempt.ts"
import type { Tool } from "./tool.ts"
import { CallSpan } from "./tracing.ts"
import { Transcript } from "./transcript.ts"

/** `held`: requested and not decided yet, with its turn or in the background. */
export type Phase = "queued" | "held" | "preparing" | "running" | "waiting" | "finishing" | "ended"

type CallState = { -readonly [K in keyof ToolCall]: ToolCall[K] }

const noRelease: Release = () => undefined

export class Run implements InterpreterOwner, CleanupHost, DeltaSource, RunningTask, Asker {
  readonly engine: Engine
  readonly call: CallState
  readonly sink: EventSink
  phase: Phase = "queued"
  lastDelta: DeltaSource["lastDelta"]
  room: Promise<void> | undefined
  private readonly tool: Tool<unknown> | undefined
  /** Told the call's one result. */
  private readonly onResult: ((result: ToolResult) => void) | undefined
  private readonly gates: Gatekeeper
  private attempt: Interpreter | undefined
  private finals: ReadonlyArray<FinallyPart<unknown>> = []
  /** What the finally handlers see as their call, where it is not this one. */
  private cleanupCall: ToolCall | undefined
  private cleanup: Cleanup | undefined
  private cleanupErrors: Array<string> | undefined
  private question: Question | undefined
  private outcome: outcomes.Outcome | undefined
  /** The parameters of an edited approval, until the attempt that it ended is cleaned up. */
  private restart: { readonly params: unknown } | undefined
  private edited = false
  private staged: { readonly actionId: string; readonly label: string } | undefined
  private started = false
  /** Whether the host was told that it runs in the background. */
  private announced = false
  private place: Release | "asked" | undefined
  private clock: CallClock | undefined
  private transcript: Transcript | undefined
  /** The signal of the host's hook. */
  private controller: AbortController | undefined
  private span: CallSpan | undefined

  constructor(
    engine: Engine,
    call: ToolCall,
    tool: Tool<unknown> | undefined,
    sink: EventSink,
    onResult?: (result: ToolResult) => void,
  ) {
    this.engine = engine
    this.call = call
    this.tool = tool
    this.sink = sink
    this.onResult = onResult
    this.gates = new Gatekeeper(engine)
  }

  get agentId(): string {
    return this.call.agentId
  }

  get callId(): string {
    return this.call.callId
  }

  get name(): string {
    return this.call.name
  }

  get params(): unknown {
    return this.call.params
  }

  get background(): boolean {
    return this.call.background
  }

  get output(): ToolOutput | undefined {
    return this.attempt?.output
  }

  // --- The beginning

  /** Its turn has come. */
  start(): void {
    if (this.phase !== "queued") return
    const { decision, name, background } = this.call
    if (decision === "requested") this.phase = "held"
    else if (decision === "deny") this.end(this.outcome ?? outcomes.deniedByUser())
    else if (this.tool === undefined) this.end(this.engine.unknownTool(this.agentId, name))
    else if (background && !this.tool.background) {
      this.end(
        outcomes.failed(
          "invalid",
          `Tool "${name}" cannot run in the background. Call it without \`background\`.`,
        ),
      )
    } else this.prepare(this.tool)
  }

  /** It will not run: it ends so when its turn comes. */
  refuse(outcome: outcomes.Outcome): void {
    this.call.decision = "deny"
    this.outcome = outcome
  }

  /** Ends a pending action that is neither applied nor discarded: only its finally handlers run. */
  drop({ output, finals }: StagedAction): void {
    this.phase = "finishing"
    this.outcome = outcomes.cancelled()
    this.attempt = new Interpreter(this, [])
    this.attempt.output = output
    this.finals = finals
    this.clean()
  }

  private prepare(tool: Tool<unknown>): void {
    this.phase = "preparing"
    const { filters, settings } = this.engine
    const signal = () => {
      this.controller ??= new AbortController()
      return this.controller.signal
    }
    const admission = admit({ call: this.call, tool, filters, hooks: settings.hooks, signal })
    if (!(admission instanceof Promise)) return this.admitted(tool, admission)
    this.startClock()
    void admission.then((admitted) => {
      if (this.phase === "preparing") this.admitted(tool, admitted)
    })
  }

  private admitted(tool: Tool<unknown>, admission: Admission): void {
    this.clock?.stop()
    this.controller = undefined
    if (admission._tag === "Refused") return this.end(admission.outcome)
    this.call.params = admission.params
    this.phase = "running"
    const { main, finals, gates } = divide(admission.pipeline)
    this.finals = finals
    this.attempt = new Interpreter(this, main)
    if (!this.started) this.tellStarted(tool)
    // Whoever was told may have cancelled it.
    if (this.phase !== "running") return
    if (this.background && this.gates.letsThrough(this.call, gates)) this.announce()
    this.attempt.run()
  }

  private tellStarted(tool: Tool<unknown>): void {
    this.started = true
    const { agentId, callId, params, background } = this.call
    if (this.engine.settings.trace) this.span = new CallSpan(this.engine.context, this.call)
    this.sink.push({ _tag: "Started", agentId, callId, name: tool.name, params, background })
  }

  // --- What the interpreter asks

  enter(name: string): HandlerObserver | undefined {
    return this.span?.handler(name)
  }

  suspended(): void {
    if (this.phase === "running" && this.place !== "asked") this.startClock()
  }

  mayRun(interpreter: Interpreter): boolean {
    if (!this.background || this.place !== undefined) return true
    this.clock?.stop()
    this.place = "asked"
    let returned = false
    this.engine.pool.acquire((release) => {
      if (this.place !== "asked" || this.attempt !== interpreter) return release()
      this.place = release
      if (returned) interpreter.go()
    })
    returned = true
    return this.place !== "asked"
  }

  atGate(interpreter: Interpreter, gate: { readonly label: string | undefined }): boolean {
    return this.askApproval(interpreter, gate.label, this.call, true)
  }

  /** Asks for `subject`: the call itself, or the one that staged what this one applies. */
  askApproval(
    interpreter: Interpreter,
    label: string | undefined,
    subject: ToolCall,
    editable: boolean,
  ): boolean {
    const { gates, sink } = this
    if (gates.admits(subject, editable ? this.tool : this.engine.toolOf(subject.name))) {
      interpreter.resolution = gates.resolution
      if (this.background) this.announce()
      return true
    }
    if (!sink.answers) {
      this.stop(
        outcomes.deniedByPolicy("Denied: this call needs an approval, and nobody is there to give it"),
      )
      return false
    }
    const question = new Approval(this, interpreter, this.engine.settings.approvalTimeout, editable)
    this.ask(question)
    const { agentId, callId, name, params, background } = subject
    sink.push({
      _tag: "AwaitingApproval",
      agentId,
      callId,
      name,
      params,
      background,
      ...(label !== undefined && { label }),
      ...(interpreter.output !== undefined && { preview: interpreter.output }),
      approve: (options) => question.approve(options),
      deny: (reason) => question.deny(reason),
    })
    return false
  }

  delegate(interpreter: Interpreter, effect: HostEffect, timeout: DurationInput | undefined): void {
    delegate(this, interpreter, effect, timeout)
  }

  delta(content: string, partial: unknown): Promise<void> | undefined {
    this.transcript ??= new Transcript()
    this.transcript.append(content)
    return this.sink.delta(this, content, partial)
  }

  ended(interpreter: Interpreter, ending: Ending): void {
    if (interpreter !== this.attempt) return
    this.clock?.stop()
    this.phase = "finishing"
    this.outcome = this.outcomeOf(interpreter, ending)
    this.clean()
  }

  private outcomeOf(interpreter: Interpreter, ending: Ending): outcomes.Outcome {
    if (ending._tag === "Completed") return ending
    if (ending._tag === "Failed") return outcomes.failed("failed", ending.message, ending.cause)
    const preview = this.stage(ending, interpreter.output, this.call, this.finals)
    if (preview === undefined) return outcomes.failed("failed", this.engine.actions.tooMany)
    interpreter.output = preview
    // They wait for the end of the action.
    this.finals = []
    return { _tag: "Completed" }
  }

  /** Makes a pending action of what is left. Gives the preview to complete with, or undefined where there are too many. */
  stage(
    { part, rest }: Extract<Ending, { _tag: "Staged" }>,
    output: ToolOutput | undefined,
    source: Pick<ToolCall, "name" | "params">,
    finals: ReadonlyArray<FinallyPart<unknown>>,
  ): ToolOutput | undefined {
    const { label, details, onDiscard } = part
    const sourceToolName = part.sourceToolName ?? source.name
    const { name, params } = source
    const action = {
      label,
      sourceToolName,
      details,
      source: { name, params },
      output,
      rest,
      onDiscard,
      finals,
    }
    const staged = this.engine.actions.stage(this.agentId, action)
    if (staged === undefined) return undefined
    const { actionId } = staged
    this.staged = { actionId, label }
    this.sink.push({ _tag: "ActionPending", agentId: this.agentId, actionId, label, sourceToolName })
    return withHint(output, label)
  }

  /** The action was applied or discarded by this call: its finally handlers are now this call's. */
  cleanUpAfter({ source, finals }: StagedAction): void {
    this.cleanupCall = { ...this.call, ...source }
    this.finals = finals
  }

  /** What the terminal event carries, should the call fail from here on. */
  noteOutput(output: ToolOutput): void {
    if (this.attempt !== undefined) this.attempt.output = output
  }

  // --- Questions and answers

  /** Opens a question. Meanwhile the clock stands still and the place in the pool goes to somebody who runs. */
  ask(question: Question): void {
    this.question = question
    // In a finally handler the handler's own time is the bound.
    if (this.phase !== "running") return
    this.clock?.stop()
    this.releasePlace()
    this.phase = "waiting"
    this.engine.deadlines.set(question, question.timeout)
  }

  answered(question: Question): boolean {
    if (this.question !== question) return false
    this.closeQuestion()
    if (this.phase === "waiting") this.phase = "running"
    return true
  }

  closeQuestion(): void {
    if (this.question === undefined) return
    this.engine.deadlines.clear(this.question)
    this.question.close()
    this.question = undefined
  }

  approved(question: Approval, { params, reason, remember }: ApproveOptions): boolean {
    if (this.question !== question || (params !== undefined && !question.editable)) return false
    this.gates.pass(reason)
    if (remember === true) this.gates.remember(this.tool, params ?? this.call.params)
    if (params !== undefined) {
      this.restart = { params }
      this.stop(undefined)
      return true
    }
    this.answered(question)
    if (this.background) this.announce()
    question.interpreter.proceed(this.gates.resolution!)
    return true
  }

  denied(question: Approval, reason: string | undefined): boolean {
    if (this.question !== question) return false
    this.stop(outcomes.deniedByUser(reason))
    return true
  }

  undecided(question: Approval, message: string): void {
    if (this.question === question) this.stop({ _tag: "Denied", by: "expired", message })
  }

  /** Approves the gate it waits at, or, while it is `requested`, the call. */
  approve(options: ApproveOptions = {}): boolean {
    if (this.question?.kind === "approval") return this.question.approve(options)
    if (this.call.decision !== "requested" || this.phase === "ended") return false
    const { params, reason, remember } = options
    this.call.decision = "approve"
    this.gates.resolve(reason)
    if (params !== undefined) this.edit(params)
    if (remember === true) this.gates.remember(this.tool, this.call.params)
    this.leaveHold()
    return true
  }

  deny(reason?: string): boolean {
    if (this.question?.kind === "approval") return this.question.deny(reason)
    if (this.call.decision !== "requested" || this.phase === "ended") return false
    this.refuse(outcomes.deniedByUser(reason))
    this.leaveHold()
    return true
  }

  respond(answer: { readonly output?: unknown } | { readonly error: string }): boolean {
    if (this.question?.kind !== "delegate") return false
    return "error" in answer ? this.question.fail(answer.error) : this.question.succeed(answer.output)
  }

  /** Fails an effect that nobody has read, for a host that is gone. */
  failUnread(question = this.question): void {
    if (question?.kind !== "delegate" || !this.sink.isUnread(question.sequence)) return
    question.fail("The host has shut down")
  }

  private leaveHold(): void {
    if (this.phase !== "held") return
    this.phase = "queued"
    this.start()
  }

  private edit(params: unknown): void {
    this.call.params = params
    this.edited = true
  }

  // --- The background

  /** A call that has started goes on in the background, and its lane moves on. */
  toBackground(): boolean {
    if (this.background || (this.phase !== "running" && this.phase !== "waiting")) return false
    if (this.tool?.background !== true) return false
    const running = this.phase === "running"
    this.clock?.stop()
    this.clock = undefined
    this.call.background = true
    // It runs already: it needs no place until it next waits.
    if (running) this.place = noRelease
    this.announce()
    if (running && this.phase === "running") this.startClock()
    this.engine.leaveLane(this)
    return true
  }

  private announce(): void {
    if (this.announced) return
    this.announced = true
    this.engine.tasks.started(this)
    const { agentId, callId, name } = this.call
    this.sink.push({ _tag: "BackgroundStarted", agentId, callId, name })
    const content = `Running in background (task_id: ${callId})`
    this.onResult?.({ status: "complete", content, output: textOutput(content), isError: false })
  }

  get taskStatus(): TaskStatus {
    if (this.phase === "waiting") return "waiting"
    return this.place === "asked" ? "pending" : "running"
  }

  get outputSoFar(): string {
    return this.output === undefined ? this.streamed : textOf(this.output)
  }

  private get streamed(): string {
    return this.transcript === undefined ? "" : this.transcript.toString()
  }

  private releasePlace(): void {
    if (typeof this.place === "function") this.place()
    this.place = undefined
  }

  // --- Time

  private startClock(): void {
    this.clock ??= new CallClock(this.engine.deadlines, this, this.timeLimit)
    this.clock.start()
  }

  private get timeLimit(): number {
    const { taskTimeout, callTimeout } = this.engine.settings
    return this.background ? taskTimeout : callTimeout
  }

  timedOut(): void {
    const outcome = outcomes.failed("timeout", `Timed out after ${formatMillis(this.timeLimit)}`)
    if (this.phase === "running") return this.stop(outcome, "TimeoutError")
    this.controller?.abort(new DOMException(outcome.message, "TimeoutError"))
    this.end(outcome)
  }

  // --- The end

  /** True if it took effect: a call that is already ending ends as it does. */
  cancel(reason?: string): boolean {
    const outcome = outcomes.cancelled(reason)
    switch (this.phase) {
      case "queued":
      case "held":
      case "preparing":
        this.controller?.abort(new DOMException(outcome.message, "AbortError"))
        this.end(outcome)
        return true
      case "running":
      case "waiting":
        this.stop(outcome)
        return true
      case "finishing":
        if (this.restart === undefined) return false
        this.restart = undefined
        this.outcome = outcome
        return true
      case "ended":
        return false
    }
  }

  /** Stops the attempt where it stands, for an end, or, without one, to start over with edited parameters. */
  private stop(outcome: outcomes.Stopped | undefined, errorName = "AbortError"): void {
    this.clock?.stop()
    this.closeQuestion()
    this.phase = "finishing"
    this.outcome = outcome
    const message = outcome === undefined ? "Runs again with edited parameters" : outcome.message
    stopAttempt(this.engine, this.attempt!, new DOMException(message, errorName), {
      leftBehind: (failure) => this.report(failure),
      stopped: () => this.clean(),
    })
  }

  private clean(): void {
    this.releasePlace()
    if (this.finals.length === 0) return this.cleaned()
    this.cleanup = new Cleanup(this, this.cleanupCall ?? this.call, this.finals)
    this.cleanup.run()
  }

  report(failure: string): void {
    this.cleanupErrors ??= []
    this.cleanupErrors.push(failure)
  }

  cleaned(): void {
    this.cleanup = undefined
    this.finals = []
    const { restart } = this
    if (restart === undefined) {
      return judge(this.engine, this.call, this.terminal(this.outcome!), (event) => this.tell(event))
    }
    this.restart = undefined
    this.attempt = undefined
    this.gates.startOver()
    this.edit(restart.params)
    this.prepare(this.tool!)
  }

  private end(outcome: outcomes.Outcome): void {
    this.tell(this.terminal(outcome))
  }

  private terminal(outcome: outcomes.Outcome): TerminalEvent {
    const { call, output, streamed, edited, staged, cleanupErrors } = this
    return outcomes.terminalEvent({ call, outcome, output, streamed, edited, staged, cleanupErrors })
  }

  private tell(event: TerminalEvent): void {
    this.clock?.stop()
    this.phase = "ended"
    this.span?.end(event._tag === "Completed" ? undefined : event.content)
    let last: ToolEvent = event
    if (this.announced) {
      this.engine.tasks.ended(this, event)
      const { agentId, callId, name } = this.call
      last = { _tag: "BackgroundCompleted", agentId, callId, name, status: outcomes.statusOf(event) }
    }
    this.engine.ended(this)
    this.sink.push(last)
    if (!this.announced) this.onResult?.(outcomes.resultOf(event))
    this.engine.leaveLane(this)
  }

  // --- For inspection

  /** Whether a handler runs now; one that waits for the host's answer to its effect counts. */
  get isRunning(): boolean {
    if (this.phase === "waiting") return this.question?.kind === "delegate"
    return this.phase === "running" || this.phase === "preparing"
  }

  get currentHandler(): string | undefined {
    return this.cleanup?.current ?? this.attempt?.current
  }

  get waitingFor(): string | undefined {
    if (this.question !== undefined)
      return this.question.kind === "approval" ? "approval" : this.question.effect._tag
    if (this.phase === "held") return "approval"
    return this.place === "asked" ? "place" : undefined
  }
}

const divide = (pipeline: ToolPipeline<unknown>) => {
  const main: Array<MainPart> = []
  const finals: Array<FinallyPart<unknown>> = []
  let gates = 0
  for (const part of pipeline.steps) {
    if (part.kind === "finally") finals.push(part)
    else main.push(part)
    if (part.kind === "approval") gates += 1
  }
  return { main, finals, gates }
}
