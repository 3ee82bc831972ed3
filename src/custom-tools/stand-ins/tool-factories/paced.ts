/** Does something again and again, but not more often than every so many milliseconds. */

export class Paced {
  private readonly work: () => void
  private readonly interval: number
  private timer: NodeJS.Timeout | undefined
  private isDue = false

  constructor(interval: number, work: () => void) {
    this.interval = interval
    this.work = work
  }

  /** At once after a pause, else when the interval is over. */
  request(): void {
    this.isDue = true
    if (this.timer === undefined) this.run()
  }

  /** Does what is still due. Call it once, at the end. */
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
