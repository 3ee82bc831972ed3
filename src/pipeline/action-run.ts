/**
 * One try to end a pending action, under the call of `resolve`: its handlers' deltas, effects and approvals are that
 * call's. Whatever keeps the action from ending puts it back.
 */
import type { ToolCall } from "./call.ts"
import type { Engine } from "./engine.ts"
import type { Resolution } from "./handler.ts"
import type { HostEffect } from "./host-effect.ts"
import {
  type Ending,
  type HandlerObserver,
  Interpreter,
  type InterpreterOwner,
  type MainPart,
} from "./interpreter.ts"
import type { ToolOutput } from "./output.ts"
import type { StagedAction } from "./pending-actions.ts"
import type { Run } from "./run.ts"
import type { DurationInput } from "./step.ts"

export class ActionRun implements InterpreterOwner {
  readonly engine: Engine
  /** What its handlers see: the staging call, under the id of the resolving one. */
  readonly call: ToolCall
  private readonly run: Run
  private readonly interpreter: Interpreter
  private readonly ending: (ending: Ending, output: ToolOutput | undefined) => void

  constructor(
    run: Run,
    action: StagedAction,
    resolution: Resolution,
    parts: ReadonlyArray<MainPart>,
    ending: (ending: Ending, output: ToolOutput | undefined) => void,
  ) {
    this.run = run
    this.engine = run.engine
    this.ending = ending
    this.call = { ...run.call, ...action.source }
    this.interpreter = new Interpreter(this, parts)
    this.interpreter.output = action.output
    this.interpreter.resolution = resolution
  }

  start(): void {
    this.interpreter.run()
  }

  interrupt(reason: unknown, stopped: () => void): void {
    this.interpreter.interrupt(reason, stopped)
  }

  mayRun(): boolean {
    return true
  }

  suspended(): void {}

  enter(name: string): HandlerObserver | undefined {
    return this.run.enter(name)
  }

  atGate(interpreter: Interpreter, gate: { readonly label: string | undefined }): boolean {
    return this.run.askApproval(interpreter, gate.label, this.call, false)
  }

  delegate(interpreter: Interpreter, effect: HostEffect, timeout: DurationInput | undefined): void {
    this.run.delegate(interpreter, effect, timeout)
  }

  delta(content: string, partial: unknown): Promise<void> | undefined {
    return this.run.delta(content, partial)
  }

  ended(_interpreter: Interpreter, ending: Ending): void {
    this.ending(ending, this.interpreter.output)
  }
}
