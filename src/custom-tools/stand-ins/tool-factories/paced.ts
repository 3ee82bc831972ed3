/** Repeats work on request, at most once per interval in milliseconds. */

export class Paced {
  private readonly work: () => void
  private readonly interval: number
  private timer: NodeJS.Timeout | undefined
  private isDue = false

  constructor(interval: number, work: () => void) {
    this.interval = interval
    this.work = work
  }

  /** Runs the work: at once after a pause, else when the interval is over. */
  request(): void {
    this.isDue = true
    if (this.timer === undefined) this.run()
  }

  /** Runs pending work. Call it once, at the end. */
  finish(): void {
    clearTimeout(this.timer)
    if (this.isDue) this.work()
  }

  private run(): void {
    if (!this.isDue) {
      this.timer = undefined
      return
    }
    this.isDue = false
    this.timer = setTimeout(() => this.run(), this.interval)
    this.work()
  }
}
