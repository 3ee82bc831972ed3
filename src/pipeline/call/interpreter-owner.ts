/** Whom an interpreter works for, and what it tells them. */
import type { ToolCall } from "../model/call.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { PipelinePart, ResolvePart } from "../model/pipeline.ts"
import type { DurationInput } from "../model/step.ts"
import type { Engine } from "./engine.ts"
import type { Interpreter } from "./interpreter.ts"
import type { HandlerEffect } from "./pipeline-fiber.ts"

/** How the parts ended. What was interrupted has no ending of its own. */
export type Ending =
  | { readonly _tag: "Completed" }
  | {
      readonly _tag: "Failed"
      readonly message: string
      readonly cause: unknown
      /** It was thrown, and not worded for the model. */
      readonly thrown: boolean
    }
  /** It stopped at a gate that `resolve` decides, with these parts left to run. */
  | {
      readonly _tag: "Staged"
      readonly part: ResolvePart<unknown>
      readonly rest: ReadonlyArray<PipelinePart<unknown>>
    }

/** Whom the interpreter works for: the call, or the cleanup of a call. */
export interface InterpreterOwner {
  readonly engine: Engine
  readonly call: ToolCall
  /** True where the handler may run now; else the owner calls `go` later. */
  acquire(interpreter: Interpreter): boolean
  /** True where the gate is passed at once; else the owner calls `proceed` later. */
  atGate(interpreter: Interpreter, label: string | undefined): boolean
  /** The owner answers with `answer` or `fail`. */
  delegate(interpreter: Interpreter, effect: HostEffect, timeout: DurationInput | undefined): void
  delta(content: string, partial: unknown): Promise<void> | undefined
  /** Something is waited for: from here on the time that is allowed may run out. */
  suspended(): void
  /** Around each handler, for tracing. */
  enter(name: string): HandlerObserver | undefined
  ended(interpreter: Interpreter, ending: Ending): void
}

export interface HandlerObserver {
  wrap(effect: HandlerEffect): HandlerEffect
  leave(failure: unknown): void
}
