/**
 * One call from its turn to its terminal event: admission, attempts, cleanup, the end. `phase` says where it stands, and
 * whatever comes from outside counts only if the phase allows it.
 */
import { withHint } from "../../resolve/reminder.ts"
import type { EventSink } from "../events/event-queue.ts"
import type { ToolCall } from "../model/call.ts"
import type { ApproveOptions, TerminalEvent, ToolResult } from "../model/event.ts"
import type { HostEffect } from "../model/host-effect.ts"
import { formatMillis } from "../model/options.ts"
import * as outcomes from "../model/outcome.ts"
import { type ToolOutput, textOf } from "../model/output.ts"
import { finallyPartsOf, type PipelinePart } from "../model/pipeline.ts"
import type { DurationInput } from "../model/step.ts"
import type { Tool } from "../model/tool.ts"
import type { RunningTask, TaskStatus } from "../stores/background-tasks.ts"
import type { StagedAction } from "../stores/pending-actions.ts"
import { type Admission, admit } from "./admission.ts"
import { judge } from "./after-call.ts"
import { CallClock } from "./call-clock.ts"
import { takeBackground } from "./call-input.ts"
import { CallReport } from "./call-report.ts"
import { Cleanup, type CleanupOwner } from "./cleanup.ts"
import { delegate } from "./delegate.ts"
import type { Engine } from "./engine.ts"
import { type DialogueCall, type GateSubject, HostDialogue } from "./host-dialogue.ts"
import { Interpreter } from "./interpreter.ts"
import type { Ending, HandlerObserver, InterpreterOwner } from "./interpreter-owner.ts"
import { PoolPlace } from "./pool-place.ts"
import { stopAttempt } from "./stop-attempt.ts"

/** `held`: requested and not decided yet, with its turn or in the background. */
export type Phase = "queued" | "held" | "preparing" | "running" | "waiting" | "finishing" | "ended"

const noParts: ReadonlyArray<never> = []

type MutableCall = { -readonly [K in keyof ToolCall]: ToolCall[K] }

export class Run implements InterpreterOwner, CleanupOwner, DialogueCall, GateSubject, RunningTask {
  readonly engine: Engine
  readonly call: MutableCall
  readonly report: CallReport
  phase: Phase = "queued"
  readonly tool: Tool<unknown> | undefined
  private questions: HostDialogue | undefined
  private poolPlace: PoolPlace | undefined
  private clock: CallClock | undefined
  /** The signal of the host's hook. */
  private controller: AbortController | undefined
  private attempt: Interpreter | undefined
  /** The pipeline's. Its finally parts are what is cleaned up with. */
  private parts: ReadonlyArray<PipelinePart<unknown>> = noParts
  private cleanup: Cleanup | undefined
  /** What the finally handlers see as their call, where it is not this one. */
  private cleanupCall: ToolCall | undefined
  /** The call that staged the action that this one ends. */
  sourceCallId: string | undefined
  /** Decided before it is told: cleanup comes in between. */
  private outcome: outcomes.Outcome | undefined
  /** The parameters of an edited approval, until the attempt that it ended is cleaned up. */
  private restart: { readonly params: unknown } | undefined

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
    this.report = new CallReport(engine, call, sink, onResult)
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

  get sink(): EventSink {
    return this.report.sink
  }

  /** Made for calls that ask something. */
  get dialogue(): HostDialogue {
    this.questions ??= new HostDialogue(this)
    return this.questions
  }

  /** Made for calls in the background. */
  private get place(): PoolPlace {
    this.poolPlace ??= new PoolPlace(this.engine.pool)
    return this.poolPlace
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
    else if (background && !this.tool.background) this.end(outcomes.noBackground(name))
    else this.prepare(this.tool)
  }

  /** It is no call: it ends at once, and never stood in a lane. */
  reject(outcome: outcomes.Stopped): void {
    this.phase = "ended"
    this.report.end(this.report.terminal(outcome, undefined), this)
  }

  /** It will not run: it ends so when its turn comes. */
  refuse(outcome: outcomes.Stopped): void {
    this.call.decision = "deny"
    this.outcome = outcome
  }

  /** Ends a pending action that is neither applied nor discarded: only its finally handlers run. */
  drop({ output, finals, sourceCallId }: StagedAction): void {
    this.sourceCallId = sourceCallId
    this.attempt = new Interpreter(this, [])
    this.attempt.output = output
    this.parts = finals
    this.finish(outcomes.cancelled())
  }

  private prepare(tool: Tool<unknown>): void {
    this.phase = "preparing"
    const { filters, settings } = this.engine
    const signal = () => {
      this.controller ??= new AbortController()
      return this.controller.signal
    }
    const admission = admit({ call: this.call, tool, filters, hooks: settings.hooks, signal })
    if (!(admission instanceof Promise)) return this.admitted(admission)
    this.startClock()
    void admission.then((admitted) => this.admitted(admitted))
  }

  private admitted(admission: Admission): void {
    // What it took to get here, such as the host's filter, may have ended the call.
    if (this.phase !== "preparing") return
    this.clock?.stop()
    this.controller = undefined
    if (admission._tag === "Refused") return this.end(admission.outcome)
    this.call.params = admission.params
    this.phase = "running"
    const { parts, gates } = admission.plan
    this.parts = parts
    this.attempt = new Interpreter(this, parts)
    this.report.start()
    // Whoever was told may have cancelled it.
    if (this.phase !== "running") return
    if (this.call.background && this.dialogue.gates.letsThrough(this.call, gates)) this.report.announce(this)
    this.attempt.run()
  }

  // --- What the interpreter asks

  enter(name: string): HandlerObserver | undefined {
    return this.report.handler(name)
  }

  suspended(): void {
    if (this.phase === "running" && this.poolPlace?.isAskedFor !== true) this.startClock()
  }

  acquire(interpreter: Interpreter): boolean {
    if (!this.call.background || this.place.take(interpreter)) return true
    this.clock?.stop()
    return false
  }

  atGate(interpreter: Interpreter, label: string | undefined): boolean {
    return this.dialogue.askApproval(interpreter, label, this)
  }

  /** It runs again with what it is approved with. */
  get editable(): boolean {
    return true
  }

  delegate(interpreter: Interpreter, effect: HostEffect, timeout: DurationInput | undefined): void {
    delegate(this, interpreter, effect, timeout)
  }

  delta(content: string, partial: unknown): Promise<void> | undefined {
    return this.report.delta(content, partial)
  }

  ended(interpreter: Interpreter, ending: Ending): void {
    if (interpreter !== this.attempt) return
    if (ending._tag === "Failed") return this.finish(outcomes.failed("failed", ending.message, ending.cause))
    if (ending._tag === "Completed") return this.finish(ending)
    const { name, params, callId } = this
    const staging = { source: { name, params }, sourceCallId: callId, finals: finallyPartsOf(this.parts) }
    const preview = this.stage(ending, interpreter.output, staging)
    if (preview === undefined) return this.finish(outcomes.failed("failed", this.engine.actions.tooMany))
    interpreter.output = preview
    // The finally parts wait for the end of the action.
    this.parts = noParts
    this.finish({ _tag: "Completed" })
  }

  // --- Previews

  /** Makes a pending action of what is left. Gives the preview to complete with, or undefined where there are too many. */
  stage(
    { part, rest }: Extract<Ending, { _tag: "Staged" }>,
    output: ToolOutput | undefined,
    { source, sourceCallId, finals }: Pick<StagedAction, "source" | "sourceCallId" | "finals">,
  ): ToolOutput | undefined {
    const { label, details, onDiscard, sourceToolName = source.name } = part
    const action = { label, sourceToolName, details, source, sourceCallId, output, rest, onDiscard, finals }
    const staged = this.engine.actions.stage(this.agentId, action)
    if (staged === undefined) return undefined
    this.report.stage(staged)
    return withHint(output, label)
  }

  /** The action was applied or discarded by this call: its finally handlers are now this call's. */
  cleanUpAfter({ source, finals }: StagedAction): void {
    this.cleanupCall = { ...this.call, ...source }
    this.parts = finals
  }

  /** What the terminal event carries, should the call fail from here on. */
  noteOutput(output: ToolOutput): void {
    if (this.attempt !== undefined) this.attempt.output = output
  }

  // --- Questions and answers

  pause(): boolean {
    // In a finally handler the handler's own time is the bound.
    if (this.phase !== "running") return false
    this.phase = "waiting"
    this.clock?.stop()
    this.poolPlace?.release()
    return true
  }

  goOn(): void {
    if (this.phase === "waiting") this.phase = "running"
  }

  passed(): void {
    if (this.call.background) this.report.announce(this)
  }

  runAgain(params: unknown): void {
    this.restart = { params }
    this.stop(undefined)
  }

  closeQuestion(): void {
    this.questions?.close()
  }

  /** Approves the gate it waits at, or, while it is `requested`, the call. */
  approve(options: ApproveOptions = {}): boolean {
    const open = this.questions?.open
    if (open?.kind === "approval") return open.approve(options)
    if (this.call.decision !== "requested" || this.phase === "ended") return false
    const { params, reason, remember } = options
    this.call.decision = "approve"
    this.dialogue.gates.resolve(reason)
    if (params !== undefined) this.edit(params)
    if (remember === true) this.dialogue.gates.remember(this.tool, this.call.params)
    this.leaveHold()
    return true
  }

  deny(reason?: string): boolean {
    const open = this.questions?.open
    if (open?.kind === "approval") return open.deny(reason)
    if (this.call.decision !== "requested" || this.phase === "ended") return false
    this.refuse(outcomes.deniedByUser(reason))
    this.leaveHold()
    return true
  }

  private leaveHold(): void {
    if (this.phase !== "held") return
    this.phase = "queued"
    this.start()
  }

  /** Where it runs is settled: `background` among edited parameters changes nothing. */
  private edit(params: unknown): void {
    this.call.params = takeBackground(params, this.tool).params
    this.report.edited = true
  }

  // --- The background

  /** A call that has started goes on in the background, and its lane moves on. */
  toBackground(): boolean {
    if (this.call.background || (this.phase !== "running" && this.phase !== "waiting")) return false
    if (this.tool?.background !== true) return false
    this.clock?.stop()
    this.clock = undefined
    this.call.background = true
    if (this.phase === "running") {
      this.place.exempt()
      this.startClock()
    }
    this.report.announce(this)
    this.engine.leaveLane(this)
    return true
  }

  get taskStatus(): TaskStatus {
    if (this.phase === "waiting") return "waiting"
    return this.poolPlace?.isAskedFor === true ? "pending" : "running"
  }

  get outputSoFar(): string {
    return this.output === undefined ? this.report.streamed : textOf(this.output)
  }

  // --- Time

  private startClock(): void {
    this.clock ??= new CallClock(this.engine.deadlines, this, this.timeLimit)
    this.clock.start()
  }

  private get timeLimit(): number {
    const { taskTimeout, callTimeout } = this.engine.settings
    return this.call.background ? taskTimeout : callTimeout
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
  stop(outcome: outcomes.Stopped | undefined, errorName = "AbortError"): void {
    this.clock?.stop()
    this.questions?.close()
    this.phase = "finishing"
    this.outcome = outcome
    const message = outcome === undefined ? "Runs again with edited parameters" : outcome.message
    stopAttempt(this.engine, this.attempt!, new DOMException(message, errorName), {
      leftBehind: (failure) => this.report.cleanupFailed(failure),
      stopped: () => this.clean(),
    })
  }

  private finish(outcome: outcomes.Outcome): void {
    this.clock?.end()
    this.phase = "finishing"
    this.outcome = outcome
    this.clean()
  }

  private clean(): void {
    this.poolPlace?.release()
    const finals = finallyPartsOf(this.parts)
    if (finals.length === 0) return this.cleaned()
    this.cleanup = new Cleanup(this, this.cleanupCall ?? this.call, finals)
    this.cleanup.run()
  }

  cleaned(): void {
    this.cleanup = undefined
    this.parts = noParts
    // Nothing runs again inside the host's answer: what it does next, such as a cancel, comes before.
    if (this.restart === undefined) this.conclude()
    else queueMicrotask(() => this.conclude())
  }

  private conclude(): void {
    const { restart } = this
    if (restart === undefined) {
      const event = this.report.terminal(this.outcome!, this.output)
      if (this.engine.settings.hooks.afterCall === undefined) return this.tell(event)
      return judge(this.engine, this.call, event, (judged) => this.tell(judged))
    }
    this.restart = undefined
    this.attempt = undefined
    this.dialogue.gates.startOver()
    this.edit(restart.params)
    this.prepare(this.tool!)
  }

  /** Ends a call of which nothing has to be cleaned up. */
  private end(outcome: outcomes.Outcome): void {
    this.clock?.end()
    this.tell(this.report.terminal(outcome, this.output))
  }

  private tell(event: TerminalEvent): void {
    this.phase = "ended"
    this.engine.ended(this)
    this.report.end(event, this)
    if (this.call.background) this.engine.tasks.over(this.callId)
    this.engine.leaveLane(this)
  }

  // --- For inspection

  /** Whether a handler runs now; one that waits for the host's answer to its effect counts. */
  get isRunning(): boolean {
    if (this.phase === "waiting") return this.questions?.open?.kind === "delegate"
    return this.phase === "running" || this.phase === "preparing"
  }

  get currentHandler(): string | undefined {
    return this.cleanup?.current ?? this.attempt?.current
  }

  get waitingFor(): string | undefined {
    const open = this.questions?.open
    if (open !== undefined) return open.kind === "approval" ? "approval" : open.effect._tag
    if (this.phase === "held") return "approval"
    return this.poolPlace?.isAskedFor === true ? "place" : undefined
  }
}
