/** Runs the finally handlers of one attempt in order, each in a fiber, with a signal and within a bound of its own. */
import type { Fiber } from "effect/Fiber"
import type { ToolCall } from "./call.ts"
import type { HostEffect } from "./host-effect.ts"
import { type Ending, type HandlerObserver, Interpreter, type InterpreterOwner } from "./interpreter.ts"
import { formatMillis } from "./options.ts"
import type { ToolOutput } from "./output.ts"
import type { FinallyPart, HandlerPart } from "./pipeline.ts"
import type { DurationInput } from "./step.ts"

/** What the cleanup asks of its call. */
export interface CleanupHost {
  readonly call: ToolCall
  readonly cwd: string
  readonly workspace: string | undefined
  /** What the handlers see as the output. They cannot change it. */
  readonly output: ToolOutput | undefined
  readonly finallyTimeout: number
  fork(effect: Parameters<InterpreterOwner["fork"]>[0]): Fiber<unknown, unknown>
  tired(): boolean
  enter(name: string): HandlerObserver | undefined
  delegate(interpreter: Interpreter, effect: HostEffect, timeout: DurationInput | undefined): void
  delta(content: string, partial: unknown): Promise<void> | undefined
  /** (Re)starts the time of a handler; `Cleanup.expire` is called when it is over. */
  startTimer(): void
  stopTimer(): void
  report(failure: string): void
  cleaned(): void
}

export class Cleanup implements InterpreterOwner {
  private readonly host: CleanupHost
  private readonly handlers: ReadonlyArray<FinallyPart<unknown>>
  private next = 0
  private interpreter: Interpreter | undefined

  constructor(host: CleanupHost, handlers: ReadonlyArray<FinallyPart<unknown>>) {
    this.host = host
    this.handlers = handlers
  }

  get call(): ToolCall {
    return this.host.call
  }

  get cwd(): string {
    return this.host.cwd
  }

  get workspace(): string | undefined {
    return this.host.workspace
  }

  get current(): string | undefined {
    return this.interpreter?.current
  }

  /** Runs the handlers that are left. */
  run(): void {
    const part = this.handlers[this.next]
    if (part === undefined) {
      this.interpreter = undefined
      return this.host.cleaned()
    }
    this.next += 1
    const handler: HandlerPart<unknown> = { kind: "handler", name: part.name, handler: part.handler }
    this.interpreter = new Interpreter(this, [handler])
    this.interpreter.output = this.host.output
    this.interpreter.run()
  }

  /** The running handler's time is over: it is told, left behind, and the next one runs. */
  expire(): void {
    const { interpreter } = this
    if (interpreter === undefined) return
    const late = formatMillis(this.host.finallyTimeout)
    this.host.report(`${interpreter.current}: did not end within ${late}`)
    interpreter.interrupt(new DOMException(`Did not end within ${late}`, "TimeoutError"), () => undefined)
    this.run()
  }

  fork(effect: Parameters<InterpreterOwner["fork"]>[0]): Fiber<unknown, unknown> {
    return this.host.fork(effect)
  }

  mayRun(): boolean {
    return true
  }

  tired(): boolean {
    return this.host.tired()
  }

  suspended(): void {
    this.host.startTimer()
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
    this.host.stopTimer()
    if (ending._tag === "Failed") this.host.report(`${interpreter.current}: ${ending.message}`)
    this.run()
  }
}
