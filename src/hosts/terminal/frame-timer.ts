/** Draws the next frame at the earliest time that was requested. */
export class FrameTimer {
  private readonly draw: () => void
  private timer: NodeJS.Timeout | undefined
  private dueAt = Number.POSITIVE_INFINITY

  constructor(draw: () => void) {
    this.draw = draw
  }

  /** Draws at this time, in milliseconds since the epoch, or earlier. */
  at(time: number): void {
    if (this.dueAt <= time) return
    this.clear()
    this.dueAt = time
    this.timer = setTimeout(this.draw, Math.max(0, time - Date.now()))
  }

  clear(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.dueAt = Number.POSITIVE_INFINITY
  }
}
