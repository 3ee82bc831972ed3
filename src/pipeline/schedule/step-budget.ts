/**
 * Limits the number of synchronous steps in one turn of the event loop, so that timers and sockets do not starve. Further steps wait
 * in order for the next turn, which again runs a limited number.
 */
import { Ring } from "./ring.ts"
import { soon } from "./soon.ts"

const stepsPerTurn = 1000

/** The steps that may run in one turn of the event loop. */
export class StepBudget {
  private steps = 0
  private readonly line = new Ring<() => void>()
  private scheduled = false

  /** Takes a step. Returns false if the step has to `wait` for the next turn of the event loop. */
  take(): boolean {
    if (this.scheduled) return false
    this.steps += 1
    if (this.steps < stepsPerTurn) return true
    this.schedule()
    return false
  }

  wait(task: () => void): void {
    this.line.push(task)
  }

  /** Takes a step. Returns a promise if the step has to wait. */
  room(): Promise<void> | undefined {
    return this.take() ? undefined : new Promise((resolve) => this.wait(resolve))
  }

  private schedule(): void {
    this.scheduled = true
    setImmediate(() => {
      this.steps = 0
      this.scheduled = false
      this.advance()
    })
  }

  /** Runs the waiting steps with their microtasks in between: in one go they would fill the pool before any place is released. */
  private advance(): void {
    if (this.scheduled) return
    this.line.shift()?.()
    if (this.line.length > 0) void soon.then(() => this.advance())
  }
}
