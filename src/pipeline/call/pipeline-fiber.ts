/**
 * The one fiber of an attempt. It parks in a callback while promises, answers and timers drive the attempt from outside,
 * and runs a handler's Effect inside itself, so that an interruption reaches it and waits for its finalizers.
 */
import * as Effect from "effect/Effect"
import type { Exit } from "effect/Exit"
import type { Fiber } from "effect/Fiber"

export type HandlerEffect = Effect.Effect<unknown, unknown, unknown>

type Fork = (effect: HandlerEffect) => Fiber<unknown, unknown>

export class PipelineFiber {
  /** Whether it is inside a handler's own Effect. */
  isExecuting = false
  private readonly fork: Fork
  private fiber: Fiber<unknown, unknown> | undefined
  private watched: Fiber<unknown, unknown> | undefined
  /** Wakes the parked fiber; undefined while it runs. */
  private resume: ((effect: HandlerEffect) => void) | undefined
  /** Whether the fiber itself drives the attempt, and then what it does next. */
  private drives = false
  private upcoming: HandlerEffect | undefined
  private onExit: ((exit: Exit<unknown, unknown>) => void) | undefined
  private state: "open" | "ended" | "interrupted" = "open"
  private onStopped: (() => void) | undefined

  constructor(fork: Fork) {
    this.fork = fork
  }

  /** Makes the fiber, parked, if there is none yet. */
  park(): void {
    if (this.fiber === undefined && !this.drives) this.drive(this.parked)
  }

  /** Runs an Effect in the fiber; `onExit` drives the attempt from inside, unless the fiber was interrupted before. */
  execute(effect: HandlerEffect, onExit: (exit: Exit<unknown, unknown>) => void): void {
    this.isExecuting = true
    this.onExit = onExit
    const program = Effect.flatMap(Effect.exit(effect), (exit) => this.left(exit))
    if (this.drives) this.upcoming = program
    else this.drive(program)
    this.watch()
  }

  /** The attempt has ended: so does the fiber. */
  end(): void {
    this.state = "ended"
    this.wake(Effect.void)
  }

  /** Calls `stopped` once the Effect that runs, if any, has run its finalizers. */
  interrupt(stopped: () => void): void {
    this.state = "interrupted"
    const { fiber } = this
    if (!this.isExecuting) {
      fiber?.interruptUnsafe()
      return stopped()
    }
    this.onStopped = stopped
    // Without a fiber the Effect is still in its synchronous beginning, and `drive` interrupts it.
    fiber?.interruptUnsafe()
  }

  /** The Effect is over: the fiber drives the attempt on, then does what the attempt left it to do. */
  private left(exit: Exit<unknown, unknown>): HandlerEffect {
    if (this.state !== "open") return Effect.void
    this.isExecuting = false
    this.drives = true
    this.onExit?.(exit)
    this.drives = false
    const next = this.upcoming
    this.upcoming = undefined
    return next ?? (this.isOpen ? this.parked : Effect.void)
  }

  /** A method, because the attempt may have changed the state behind the compiler's back. */
  private get isOpen(): boolean {
    return this.state === "open"
  }

  private get parked(): HandlerEffect {
    return Effect.callback<unknown, unknown, unknown>((resume) => {
      this.resume = resume
    })
  }

  private drive(effect: HandlerEffect): void {
    if (this.wake(effect)) return
    const fiber = this.fork(effect)
    this.fiber = fiber
    if (this.state === "interrupted") fiber.interruptUnsafe()
    this.watch()
  }

  /** Hears of the end of a fiber that runs an Effect. One that only parks ends when it is told to. */
  private watch(): void {
    if (!this.isExecuting || this.fiber === undefined || this.fiber === this.watched) return
    this.watched = this.fiber
    this.fiber.addObserver((exit) => this.exited(exit))
  }

  private wake(effect: HandlerEffect): boolean {
    const { resume } = this
    if (resume === undefined) return false
    this.resume = undefined
    resume(effect)
    return true
  }

  private exited(exit: Exit<unknown, unknown>): void {
    const wasExecuting = this.isExecuting
    this.isExecuting = false
    if (this.state === "interrupted") return this.onStopped?.()
    if (this.state === "ended" || !wasExecuting) return
    // The handler's Effect has interrupted the fiber that it ran in.
    this.fiber = undefined
    this.onExit?.(exit)
  }
}
