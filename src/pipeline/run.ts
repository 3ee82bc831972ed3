/**
 * One call from its turn to its terminal event: admission, attempts, the questions it puts to the host, its end.
 * `phase` says where it stands; `waiting` is the one question that is open, and an answer counts only for that one.
 */
import type { Fiber } from "effect/Fiber"
import { type Admission, admit } from "./admission.ts"
import { applyAfterCall } from "./after-call.ts"
import type { RunningTask, TaskStatus } from "./background-tasks.ts"
import type { ToolCall } from "./call.ts"
import { Cleanup, type CleanupHost } from "./cleanup.ts"
import type { Engine } from "./engine.ts"
import type { ApproveOptions, TerminalEvent, ToolEvent, ToolResult } from "./event.ts"
import type { DeltaSource, EventSink } from "./event-queue.ts"
import { messageOf } from "./failure.ts"
import type { Resolution } from "./handler.ts"
import type { HostEffect } from "./host-effect.ts"
import {
  type Ending,
  type HandlerObserver,
  Interpreter,
  type InterpreterOwner,
  type MainPart,
} from "./interpreter.ts"
import { formatMillis, toMillis } from "./options.ts"
import * as outcomes from "./outcome.ts"
import { type ToolOutput, textOf, textOutput, toOutput } from "./output.ts"
import type { FinallyPart, ToolPipeline } from "./pipeline.ts"
import type { Release } from "./pool.ts"
import type { DurationInput } from "./step.ts"
import type { Tool } from "./tool.ts"
import { CallSpan } from "./tracing.ts"
import { Transcript } from "./transcript.ts"

export type Phase = "queued" | "held" | "preparing" | "running" | "waiting" | "finishing" | "ended"

/** A question to the host that is open. */
interface Waiting {
  readonly kind: "approval" | "delegate"
  readonly interpreter: Interpreter
  readonly effect?: HostEffect
  readonly timeout: number
  /** The event's place in the queue. */
  readonly sequence: number
  controller?: AbortController
}

type CallState = { -readonly [K in keyof ToolCall]: ToolCall[K] }

export class Run implements InterpreterOwner, CleanupHost, DeltaSource, RunningTask {
  readonly call: CallState
  phase: Phase = "queued"
  expiresAt = 0
  lastDelta: DeltaSource["lastDelta"]
  room: Promise<void> | undefined
  private readonly engine: Engine
  private readonly tool: Tool<unknown> | undefined
  private readonly sink: EventSink
  /** Told the call's one result. */
  private readonly onResult: ((result: ToolResult) => void) | undefined
  private attempt: Interpreter | undefined
  private cleanup: Cleanup | undefined
  private finals: ReadonlyArray<FinallyPart<unknown>> = []
  private waiting: Waiting | undefined
  private outcome: outcomes.Outcome | undefined
  /** The parameters of an edited approval, once the attempt that it ended is cleaned up. */
  private restart: { readonly params: unknown } | undefined
  private edited = false
  private resolution: Resolution | undefined
  private gatesPassed = 0
  /** Gates that were decided before the parameters were edited. */
  private gatesDecided = 0
  private started = false
  /** Whether the host was told that it runs in the background. */
  private announced = false
  private place: Release | "asked" | undefined
  /** Running time that is left, in milliseconds. */
  private timeLeft: number
  private transcript: Transcript | undefined
  private cleanupErrors: Array<string> | undefined
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
    this.timeLeft = call.background ? engine.settings.taskTimeout : engine.settings.callTimeout
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

  get background(): boolean {
    return this.call.background
  }

  get cwd(): string {
    return this.engine.settings.cwd
  }

  get workspace(): string | undefined {
    return this.engine.settings.workspace
  }

  get finallyTimeout(): number {
    return this.engine.settings.finallyTimeout
  }

  get output(): ToolOutput | undefined {
    return this.attempt?.output
  }

  /** Whether a handler runs now; one that waits for the host's answer to its effect counts. */
  get isRunning(): boolean {
    if (this.phase === "waiting") return this.waiting?.kind === "delegate"
    return this.phase === "running" || this.phase === "preparing"
  }

  /** Its turn has come. */
  start(): void {
    if (this.phase !== "queued") return
    const { decision, name } = this.call
    if (decision === "requested") this.phase = "held"
    else if (decision === "deny") this.end(this.outcome ?? outcomes.deniedByUser())
    else if (this.tool === undefined) this.end(this.engine.unknownTool(this.agentId, name))
    else if (this.background && !this.tool.background) {
      this.end(
        outcomes.failed(
          "invalid",
          `Tool "${name}" cannot run in the background. Call it without \`background\`.`,
        ),
      )
    } else this.prepare(this.tool)
  }

  // --- Before anything of the tool runs

  private prepare(tool: Tool<unknown>): void {
    this.phase = "preparing"
    const { filters, settings } = this.engine
    const signal = () => {
      this.controller ??= new AbortController()
      return this.controller.signal
    }
    const admission = admit({ call: this.call, tool, filters, hooks: settings.hooks, signal })
    if (!(admission instanceof Promise)) return this.admitted(admission)
    this.startTimer()
    admission.then((admitted) => {
      if (this.phase === "preparing") this.admitted(admitted)
    })
  }

  private admitted(admission: Admission): void {
    this.stopClock()
    this.controller = undefined
    if (admission._tag === "Refused") return this.end(admission.outcome)
    this.call.params = admission.params
    this.phase = "running"
    const main: Array<MainPart> = []
    this.finals = []
    let gates = 0
    for (const part of (admission.pipeline as ToolPipeline<unknown>).steps) {
      if (part.kind === "finally") this.finals = [...this.finals, part]
      else main.push(part)
      if (part.kind === "approval") gates += 1
    }
    if (!this.started) {
      this.started = true
      if (this.engine.settings.trace) this.span = new CallSpan(this.engine.context, this.call)
      const { agentId, callId, name, params, background } = this.call
      this.sink.push({ _tag: "Started", agentId, callId, name, params, background })
    }
    if (this.phase !== "running") return
    this.attempt = new Interpreter(this, main)
    if (this.background && (gates <= this.gatesDecided || this.call.decision === "approve")) this.announce()
    this.attempt.run()
  }

  // --- What the interpreter asks

  fork(effect: Parameters<InterpreterOwner["fork"]>[0]): Fiber<unknown, unknown> {
    return this.engine.fork(effect)
  }

  tired(): boolean {
    return this.engine.tired()
  }

  enter(name: string): HandlerObserver | undefined {
    return this.span?.handler(name)
  }

  suspended(): void {
    if (this.phase === "running" && this.place !== "asked") this.startClock()
  }

  mayRun(interpreter: Interpreter): boolean {
    if (!this.background || this.place !== undefined) return true
    this.stopClock()
    this.place = "asked"
    let atOnce = true
    let granted = false
    this.engine.pool.acquire((release) => {
      if (this.place !== "asked" || this.attempt !== interpreter) return release()
      this.place = release
      granted = true
      if (!atOnce) interpreter.go()
    })
    atOnce = false
    return granted
  }

  atGate(interpreter: Interpreter, gate: { readonly label: string | undefined }): boolean {
    if (this.gatesPassed < this.gatesDecided || this.call.decision === "approve" || this.isAllowed()) {
      this.gatesPassed += 1
      if (this.resolution !== undefined) interpreter.resolution = this.resolution
      if (this.background) this.announce()
      return true
    }
    if (!this.sink.answers) {
      this.stop(
        outcomes.deniedByPolicy("Denied: this call needs an approval, and nobody is there to give it"),
      )
      return false
    }
    const waiting = this.wait("approval", interpreter, this.engine.settings.approvalTimeout)
    const { agentId, callId, name, params, background } = this.call
    this.sink.push({
      _tag: "AwaitingApproval",
      agentId,
      callId,
      name,
      params,
      background,
      ...(gate.label !== undefined && { label: gate.label }),
      ...(interpreter.output !== undefined && { preview: interpreter.output }),
      approve: (options) => this.decide(waiting, options ?? {}),
      deny: (reason) => this.refuse(waiting, reason),
    })
    return false
  }

  delegate(interpreter: Interpreter, effect: HostEffect, timeout: DurationInput | undefined): void {
    const { tasks, settings } = this.engine
    const { agentId, callId } = this.call
    const tag = effect._tag
    if (tag === "ListBackgroundTasks") return interpreter.answer(textOutput(tasks.describe(agentId)))
    if (tag === "GetBackgroundTask") {
      return interpreter.answer(
        textOutput(tasks.collect(agentId, String((effect as { taskId?: unknown }).taskId))),
      )
    }
    const answerer = Object.hasOwn(settings.delegates, tag) ? settings.delegates[tag] : undefined
    if (answerer === undefined && !this.sink.answers) {
      return interpreter.fail(`Nobody is there to answer the effect ${tag}`)
    }
    let limit = settings.delegateTimeout
    try {
      if (timeout !== undefined) limit = toMillis("timeout", timeout)
    } catch (error) {
      return interpreter.fail(messageOf(error), error)
    }
    const waiting = this.wait("delegate", interpreter, limit, effect)
    const succeed = (output?: unknown) => this.answer(waiting, output)
    const fail = (message: string) => this.answerFailure(waiting, message)
    if (answerer === undefined) {
      this.sink.push({ _tag: "Delegate", agentId, callId, effect, succeed, fail })
      if (this.engine.closing) setImmediate(() => this.failUnread(waiting))
      return
    }
    waiting.controller = new AbortController()
    const { signal } = waiting.controller
    new Promise((resolve) =>
      resolve((answerer as (...args: Array<unknown>) => unknown)(effect, { agentId, callId, signal })),
    ).then(succeed, (error) => fail(messageOf(error)))
  }

  delta(content: string, partial: unknown): Promise<void> | undefined {
    this.transcript ??= new Transcript()
    this.transcript.append(content)
    return this.sink.delta(this, content, partial)
  }

  ended(interpreter: Interpreter, ending: Ending): void {
    if (interpreter !== this.attempt) return
    const outcome: outcomes.Outcome =
      ending._tag === "Completed" ? ending : outcomes.failed("failed", ending.message, ending.cause)
    this.finish(outcome)
  }

  // --- What the host answers

  /** Approves the gate it waits at, or, while it is `requested`, the call. */
  approve(options: ApproveOptions = {}): boolean {
    if (this.waiting?.kind === "approval") return this.decide(this.waiting, options)
    if (this.call.decision !== "requested" || this.phase === "ended") return false
    this.call.decision = "approve"
    if (options.remember === true) this.remember()
    if (options.params !== undefined) this.edit(options.params)
    this.setResolution(options.reason)
    this.leaveHold()
    return true
  }

  deny(reason?: string): boolean {
    if (this.waiting?.kind === "approval") return this.refuse(this.waiting, reason)
    if (this.call.decision !== "requested" || this.phase === "ended") return false
    this.call.decision = "deny"
    this.outcome = outcomes.deniedByUser(reason)
    this.leaveHold()
    return true
  }

  respond(answer: { readonly output?: unknown } | { readonly error: string }): boolean {
    const { waiting } = this
    if (waiting?.kind !== "delegate") return false
    return "error" in answer ? this.answerFailure(waiting, answer.error) : this.answer(waiting, answer.output)
  }

  /** Fails an effect that nobody has read, for a host that is gone. */
  failUnread(waiting = this.waiting): void {
    if (waiting?.kind !== "delegate" || this.sink !== this.engine.events) return
    if (!this.engine.events.wasRead(waiting.sequence)) this.answerFailure(waiting, "The host has shut down")
  }

  private leaveHold(): void {
    if (this.phase !== "held") return
    this.phase = "queued"
    this.start()
  }

  private decide(waiting: Waiting, options: ApproveOptions): boolean {
    if (this.waiting !== waiting) return false
    const { params, reason, remember } = options ?? {}
    this.setResolution(reason)
    if (params !== undefined) {
      this.gatesDecided = this.gatesPassed + 1
      this.restart = { params }
      if (remember === true) this.remember(params)
      this.stop(undefined)
      return true
    }
    if (remember === true) this.remember()
    this.answered()
    this.gatesPassed += 1
    if (this.background) this.announce()
    if (this.phase === "running") waiting.interpreter.proceed(this.resolution!)
    return true
  }

  private refuse(waiting: Waiting, reason: string | undefined): boolean {
    if (this.waiting !== waiting) return false
    this.stop(outcomes.deniedByUser(reason))
    return true
  }

  private answer(waiting: Waiting, value: unknown): boolean {
    if (this.waiting !== waiting) return false
    this.answered()
    if (value === undefined || value === null) waiting.interpreter.answer(undefined)
    else {
      const output = toOutput(value)
      if (output !== undefined) waiting.interpreter.answer(output)
      else
        waiting.interpreter.fail(
          `The host's answer to ${waiting.effect?._tag} is neither text nor content blocks`,
        )
    }
    return true
  }

  private answerFailure(waiting: Waiting, message: unknown): boolean {
    if (this.waiting !== waiting) return false
    this.answered()
    waiting.interpreter.fail(typeof message === "string" ? message : messageOf(message))
    return true
  }

  /** Puts a question: the clock stops, and a place in the background pool goes to somebody who runs. */
  private wait(
    kind: Waiting["kind"],
    interpreter: Interpreter,
    timeout: number,
    effect?: HostEffect,
  ): Waiting {
    const waiting: Waiting = {
      kind,
      interpreter,
      timeout,
      sequence: this.engine.events.sequence,
      ...(effect && { effect }),
    }
    this.waiting = waiting
    // A finally handler's questions are bounded by its own time.
    if (this.phase !== "running") {
      this.startTimer()
      return waiting
    }
    this.stopClock()
    this.releasePlace()
    this.phase = "waiting"
    this.engine.deadlines.set(this, timeout)
    return waiting
  }

  private answered(): void {
    this.closeQuestion()
    if (this.phase !== "waiting") return
    this.engine.deadlines.clear(this)
    this.phase = "running"
  }

  private closeQuestion(): void {
    this.waiting?.controller?.abort()
    this.waiting = undefined
  }

  private setResolution(reason: string | undefined): void {
    this.resolution = reason === undefined ? { action: "apply" } : { action: "apply", reason }
  }

  private edit(params: unknown): void {
    this.call.params = params
    this.edited = true
  }

  private isAllowed(): boolean {
    const { filters } = this.engine
    if (filters === undefined) return false
    try {
      return filters.evaluate(this.tool!, this.call.params) === "approve"
    } catch {
      return false
    }
  }

  private remember(params = this.call.params): void {
    try {
      if (this.tool !== undefined) this.engine.rememberingFilters.remember?.(this.tool, params)
    } catch {
      // A rule that cannot be made leaves the next call to be asked.
    }
  }

  // --- The background

  /** A call that has started goes on in the background, and its lane moves on. */
  toBackground(): boolean {
    if (this.background || (this.phase !== "running" && this.phase !== "waiting")) return false
    if (this.tool?.background !== true) return false
    this.stopClock()
    this.call.background = true
    this.timeLeft = this.engine.settings.taskTimeout
    // It runs already: it needs no place until it next waits.
    if (this.phase === "running") {
      this.place = () => undefined
      this.startClock()
    } else if (this.waiting !== undefined) this.engine.deadlines.set(this, this.waiting.timeout)
    this.announce()
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

  get taskParams(): unknown {
    return this.call.params
  }

  get taskStatus(): TaskStatus {
    if (this.phase === "waiting") return "waiting"
    return this.place === "asked" ? "pending" : "running"
  }

  get outputSoFar(): string {
    return this.output === undefined ? (this.transcript?.toString() ?? "") : textOf(this.output)
  }

  private releasePlace(): void {
    if (typeof this.place === "function") this.place()
    this.place = undefined
  }

  // --- Time

  startTimer(): void {
    if (this.phase === "preparing") this.startClock()
    else if (this.phase === "finishing") this.engine.deadlines.set(this, this.finallyTimeout)
  }

  stopTimer(): void {
    this.engine.deadlines.clear(this)
  }

  private startClock(): void {
    if (this.timeLeft === Number.POSITIVE_INFINITY || this.clockRuns) return
    this.clockRuns = true
    this.engine.deadlines.set(this, this.timeLeft)
  }

  private clockRuns = false

  private stopClock(): void {
    if (!this.clockRuns) return
    this.clockRuns = false
    this.engine.deadlines.clear(this)
    this.timeLeft = Math.max(0, this.expiresAt - this.engine.deadlines.now())
  }

  expire(): void {
    const { settings } = this.engine
    switch (this.phase) {
      case "preparing":
      case "running": {
        this.clockRuns = false
        const limit = this.background ? settings.taskTimeout : settings.callTimeout
        const outcome = outcomes.failed("timeout", `Timed out after ${formatMillis(limit)}`)
        if (this.phase === "running") return this.stop(outcome, "TimeoutError")
        this.controller?.abort(new DOMException("Timed out", "TimeoutError"))
        return this.end(outcome)
      }
      case "waiting": {
        const { waiting } = this
        if (waiting === undefined) return
        const limit = formatMillis(waiting.timeout)
        if (waiting.kind === "delegate") {
          this.answerFailure(waiting, `The host did not answer ${waiting.effect?._tag} within ${limit}`)
        } else {
          this.stop({ _tag: "Denied", by: "expired", message: `Denied: nobody decided within ${limit}` })
        }
        return
      }
      case "finishing":
        this.closeQuestion()
        if (this.cleanup !== undefined) return this.cleanup.expire()
        return this.onFinishTimeout?.()
    }
  }

  // --- The end

  /** True if it took effect: a call that is already ending ends as it does. */
  cancel(reason?: string): boolean {
    const outcome = outcomes.cancelled(reason)
    switch (this.phase) {
      case "queued":
      case "held":
        this.end(outcome)
        return true
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

  /** Stops the attempt where it stands; its Effect's finalizers are waited for, within a bound. */
  private stop(outcome: outcomes.Stopped | undefined, errorName = "AbortError"): void {
    this.stopClock()
    this.engine.deadlines.clear(this)
    this.closeQuestion()
    this.phase = "finishing"
    this.outcome = outcome
    let stopped = false
    const clean = () => {
      if (stopped) return
      stopped = true
      this.onFinishTimeout = undefined
      this.engine.deadlines.clear(this)
      this.clean()
    }
    const { attempt } = this
    if (attempt === undefined) return clean()
    this.onFinishTimeout = () => {
      this.report(
        `${attempt.current}: did not stop within ${formatMillis(this.finallyTimeout)} and was left behind`,
      )
      clean()
    }
    const message = outcome === undefined ? "Runs again with edited parameters" : outcome.message
    attempt.interrupt(new DOMException(message, errorName), clean)
    if (!stopped) this.startTimer()
  }

  private onFinishTimeout: (() => void) | undefined

  private finish(outcome: outcomes.Outcome): void {
    this.stopClock()
    this.phase = "finishing"
    this.outcome = outcome
    this.clean()
  }

  private clean(): void {
    this.releasePlace()
    if (this.finals.length === 0) return this.cleaned()
    this.cleanup = new Cleanup(this, this.finals)
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
    if (restart !== undefined) {
      this.restart = undefined
      this.gatesPassed = 0
      this.attempt = undefined
      this.edit(restart.params)
      return this.prepare(this.tool!)
    }
    const event = this.terminal(this.outcome!)
    const { afterCall } = this.engine.settings.hooks
    if (afterCall === undefined || (event._tag !== "Completed" && event._tag !== "Error"))
      return this.tell(event)
    const controller = new AbortController()
    let told = false
    const tell = (last: TerminalEvent) => {
      if (told) return
      told = true
      this.onFinishTimeout = undefined
      this.engine.deadlines.clear(this)
      this.tell(last)
    }
    this.onFinishTimeout = () => {
      controller.abort(new DOMException("The hook took too long", "TimeoutError"))
      tell(event)
    }
    this.startTimer()
    applyAfterCall(afterCall, this.call, event, controller.signal).then(tell)
  }

  private end(outcome: outcomes.Outcome): void {
    this.tell(this.terminal(outcome))
  }

  private terminal(outcome: outcomes.Outcome): TerminalEvent {
    return outcomes.terminalEvent({
      call: this.call,
      outcome,
      output: this.output,
      streamed: this.transcript?.toString() ?? "",
      edited: this.edited,
      cleanupErrors: this.cleanupErrors,
    })
  }

  private tell(event: TerminalEvent): void {
    this.stopClock()
    this.engine.deadlines.clear(this)
    this.releasePlace()
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

  get currentHandler(): string | undefined {
    return this.cleanup?.current ?? this.attempt?.current
  }

  get waitingFor(): string | undefined {
    if (this.waiting !== undefined)
      return this.waiting.kind === "approval" ? "approval" : this.waiting.effect?._tag
    if (this.phase === "held") return "approval"
    return this.place === "asked" ? "place" : undefined
  }
}
