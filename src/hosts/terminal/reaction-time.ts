/**
 * Whether a person has had time to see what their keys would answer. Keys do not answer what has only just appeared: they
 * were meant for something else. A key within that time restarts it, so that a held key never answers. Keys typed within it
 * are read before the screen shows that keys answer, however long this process was busy.
 */

/** Milliseconds within which nobody can read and react. */
export const reactionMillis = 300

export class ReactionTime {
  private readonly millis: number
  private subject: unknown
  /** Undefined until the subject is on the screen. */
  private overAt: number | undefined
  /** Whether the time is over, and all keys typed within it were read. */
  private isDrained = false
  private isOpen = false

  /** @param millis How long the subject must have been on the screen. */
  constructor(millis = reactionMillis) {
    this.millis = millis
  }

  /** Call it when a frame with something that keys can answer is drawn. A new subject restarts the time. */
  shown(subject: unknown): void {
    if (subject !== this.subject) {
      this.subject = subject
      this.begin()
    }
    if (subject === undefined || this.isOpen) return
    const { overAt } = this
    // This frame shows that keys answer.
    if (this.isDrained || this.millis === 0) this.isOpen = true
    else if (overAt !== undefined && performance.now() >= overAt) {
      // If this process was busy, waiting keys are read in this turn of the event loop.
      setImmediate(() => {
        if (this.overAt === overAt) this.isDrained = true
      })
    }
  }

  /** Records that the frame is on the screen. */
  drawn(): void {
    if (this.subject !== undefined) this.overAt ??= performance.now() + this.millis
  }

  /** Records a key press. */
  pressed(): void {
    if (!this.isOpen) this.begin()
  }

  /** Whether keys answer. */
  get isOver(): boolean {
    return this.isOpen
  }

  /** Milliseconds until the screen can show that keys answer. Infinity if it already does, or nothing is shown. */
  get wait(): number {
    if (this.subject === undefined || this.isOpen) return Number.POSITIVE_INFINITY
    return this.overAt === undefined ? this.millis : Math.max(0, this.overAt - performance.now())
  }

  private begin(): void {
    this.overAt = undefined
    this.isDrained = false
    this.isOpen = false
  }
}
