/** Runs the finally handlers of one attempt in order, each in a fiber, with a signal and within a bound of its own. */
import type { ToolCall } from "../model/call.ts"
import type { HostEffect } from "../model/host-effect.ts"
import { formatMillis } from "../model/options.ts"
import type { ToolOutput } from "../model/output.ts"
import type { FinallyPart } from "../model/pipeline.ts"
import type { DurationInput } from "../model/step.ts"
import type { Expiring } from "../schedule/deadlines.ts"
import type { Engine } from "./engine.ts"
import { Interpreter } from "./interpreter.ts"
import type { Ending, HandlerObserver, InterpreterOwner } from "./interpreter-owner.ts"

/** What the cleanup asks of its call. */
export interface CleanupOwner {
  readonly engine: Engine
  /** What the handlers see as the output. They cannot change it. */
  readonly output: ToolOutput | undefined
  enter(name: string): HandlerObserver | undefined
  delegate(interpreter: Interpreter, effect: HostEffect, timeout: DurationInput | undefined): void
  delta(content: string, partial: unknown): Promise<void> | undefined
  /** Nobody waits for the open question any more. */
  closeQuestion(): void
  readonly report: { cleanupFailed(failure: string): void }
  cleaned(): void
}

export class Cleanup implements InterpreterOwner, Expiring {
  expiresAt = 0
  slot = -1
  readonly engine: Engine
  readonly call: ToolCall
  private readonly host: CleanupOwner
  private readonly handlers: ReadonlyArray<FinallyPart<unknown>>
  private next = 0
  private interpreter: Interpreter | undefined

  constructor(host: CleanupOwner, call: ToolCall, handlers: ReadonlyArray<FinallyPart<unknown>>) {
    this.call = call
    this.engine = host.engine
    this.host = host
    this.handlers = handlers
  }

  get current(): string | undefined {
    return this.interpreter?.current
  }

  /** Runs the handlers that are left. */
  run(): void {
    const part = this.handlers[this.next]
    if (part === undefined) return this.host.cleaned()
    this.next += 1
    this.interpreter = new Interpreter(this, [{ kind: "handler", name: part.name, handler: part.handler }])
    this.interpreter.output = this.host.output
    this.interpreter.run()
  }

  /** The running handler's time is over: it is told, left behind, and the next one runs. */
  expire(): void {
    const late = `did not end within ${formatMillis(this.engine.settings.finallyTimeout)}`
    this.host.closeQuestion()
    this.host.report.cleanupFailed(`${this.current}: ${late}`)
    this.interpreter?.interrupt(
      new DOMException(`The finally handler ${late}`, "TimeoutError"),
      () => undefined,
    )
    this.run()
  }

  acquire(): boolean {
    return true
  }

  suspended(): void {
    if (!this.engine.deadlines.isSet(this))
      this.engine.deadlines.set(this, this.engine.settings.finallyTimeout)
  }

  enter(name: string): HandlerObserver | undefined {
    return this.host.enter(name)
  }

  atGate(interpreter: Interpreter): boolean {
    interpreter.fail("a finally handler cannot wait for an approval")
    return false
  }

  delegate(interpreter: Interpreter, effect: HostEffect, timeout: DurationInput | undefined): void {
    this.host.delegate(interpreter, effect, timeout)
  }

  delta(content: string, partial: unknown): Promise<void> | undefined {
    return this.host.delta(content, partial)
  }

  ended(interpreter: Interpreter, ending: Ending): void {
    if (interpreter !== this.interpreter) return
    this.engine.deadlines.clear(this)
    if (ending._tag === "Failed") this.host.report.cleanupFailed(`${this.current}: ${ending.message}`)
    this.run()
  }
}
