/**
 * One try to end a pending action, under the call of `resolve`: its handlers' deltas, effects and approvals are that
 * call's. Whatever keeps the action from ending puts it back.
 */
import type { ResolveParams } from "../../resolve/definition.ts"
import { defaultOutput, failureText, withDetails } from "../../resolve/result.ts"
import type { ToolCall } from "../model/call.ts"
import type { Resolution } from "../model/handler.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { ToolOutput } from "../model/output.ts"
import type { PipelinePart } from "../model/pipeline.ts"
import { type DurationInput, Step } from "../model/step.ts"
import type { Tool } from "../model/tool.ts"
import type { StagedAction } from "../stores/pending-actions.ts"
import type { Engine } from "./engine.ts"
import type { GateSubject } from "./host-dialogue.ts"
import { Interpreter } from "./interpreter.ts"
import type { Ending, HandlerObserver, InterpreterOwner } from "./interpreter-owner.ts"
import type { Run } from "./run.ts"

export class ActionRun implements InterpreterOwner, GateSubject {
  readonly engine: Engine
  /** What its handlers see: the staging call, under the id of the resolving one. */
  readonly call: ToolCall
  private readonly run: Run
  private readonly action: StagedAction
  private readonly params: ResolveParams
  private readonly interpreter: Interpreter
  /** Told what the resolve call ends with; never, where the try is interrupted. */
  private readonly concluded: (step: Step) => void

  constructor(run: Run, action: StagedAction, params: ResolveParams, concluded: (step: Step) => void) {
    this.run = run
    this.engine = run.engine
    this.action = action
    this.params = params
    this.concluded = concluded
    this.call = { ...run.call, ...action.source }
    run.sourceCallId = action.sourceCallId
    this.interpreter = new Interpreter(this, params.action === "apply" ? action.rest : discardParts(action))
    this.interpreter.output = action.output
    this.interpreter.resolution = resolutionOf(params)
  }

  get tool(): Tool<unknown> | undefined {
    return this.engine.toolOf(this.call.name)
  }

  /** Other parameters would need another preview. */
  get editable(): boolean {
    return false
  }

  start(): void {
    this.interpreter.run()
  }

  /** Stops it where it stands. Before `stopped` is called, the action is pending again. */
  interrupt(reason: unknown, stopped: () => void): void {
    this.interpreter.interrupt(reason, () => {
      const { run, action, produced } = this
      this.engine.actions.restore(run.agentId, action)
      if (produced !== undefined) run.noteOutput(produced)
      stopped()
    })
  }

  // --- What the interpreter asks

  acquire(): boolean {
    return true
  }

  suspended(): void {
    this.run.suspended()
  }

  enter(name: string): HandlerObserver | undefined {
    return this.run.enter(name)
  }

  atGate(interpreter: Interpreter, label: string | undefined): boolean {
    return this.run.dialogue.askApproval(interpreter, label, this)
  }

  delegate(interpreter: Interpreter, effect: HostEffect, timeout: DurationInput | undefined): void {
    this.run.delegate(interpreter, effect, timeout)
  }

  delta(content: string, partial: unknown): Promise<void> | undefined {
    return this.run.delta(content, partial)
  }

  ended(_interpreter: Interpreter, ending: Ending): void {
    this.concluded(ending._tag === "Failed" ? this.failed(ending) : this.succeeded(ending))
  }

  // --- The end

  private failed({ message, cause, thrown }: Extract<Ending, { _tag: "Failed" }>): Step {
    const { run, action, params } = this
    this.engine.actions.restore(run.agentId, action)
    run.noteOutput(withDetails(this.produced ?? { content: [] }, params, action))
    return Step.Error(failureText(params, message, thrown), { cause })
  }

  private succeeded(ending: Exclude<Ending, { _tag: "Failed" }>): Step {
    const { run, action, params } = this
    this.engine.actions.settle(run.agentId, action)
    run.report.resolve(action, params.action === "apply" ? "applied" : "discarded")
    const output = withDetails(
      ending._tag === "Staged" ? this.stageRest(ending) : this.complete(),
      params,
      action,
    )
    // Whoever heard of the new action may have cancelled the call.
    run.noteOutput(output)
    return Step.Output(output)
  }

  /** The rest of the pipeline has a preview of its own: it goes on as a new action, in the place of this one. */
  private stageRest(ending: Extract<Ending, { _tag: "Staged" }>): ToolOutput {
    return this.run.stage(ending, this.interpreter.output, this.action)!
  }

  private complete(): ToolOutput {
    this.run.cleanUpAfter(this.action)
    return this.produced ?? defaultOutput(this.params, this.action.label)
  }

  /** What its handlers put out. The preview that they began with is not theirs. */
  private get produced(): ToolOutput | undefined {
    const { output } = this.interpreter
    return output === this.action.output ? undefined : output
  }
}

const discardParts = ({ onDiscard }: StagedAction): ReadonlyArray<PipelinePart<unknown>> =>
  onDiscard === undefined ? [] : [{ kind: "handler", name: onDiscard.name, handler: onDiscard }]

const resolutionOf = ({ action, reason, extra }: ResolveParams): Resolution => ({
  action,
  reason,
  ...(extra !== undefined && extra !== null && { extra }),
})
