/**
 * Lets the event loop turn after a burst of steps that did not suspend by themselves, so that timers and sockets do not
 * starve. Whoever asks while the burst is over waits in line for the next turn, which again takes a bounded number.
 */
import { Ring } from "./ring.ts"
import { soon } from "./soon.ts"

const stepsPerTurn = 1000

/** How many steps may still run before the event loop turns. */
export class StepBudget {
  private steps = 0
  private readonly line = new Ring<() => void>()
  private scheduled = false

  /** True where a step may run now; else it has to `wait` for the next turn of the event loop. */
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

  /** Takes a step; a promise where that has to wait. */
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

  /** One at a time, with its promises in between: all at once would take every place in the pool before any is given back. */
  private advance(): void {
    if (this.scheduled) return
    this.line.shift()?.()
    if (this.line.length > 0) void soon.then(() => this.advance())
  }
}
