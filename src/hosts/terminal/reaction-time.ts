/**
 * Whether a person can have seen what their keys would answer. What has just come onto the screen answers to no key yet:
 * who typed already was typing something else. A key within that time begins it anew, so that one held down never answers.
 * What was typed within that time is read before the screen says that keys answer, however long this process was busy.
 */

/** In milliseconds: nobody reads and reacts in less. */
export const reactionMillis = 300

export class ReactionTime {
  private readonly millis: number
  private subject: unknown
  /** Undefined until the subject is on the screen. */
  private overAt: number | undefined
  /** Whether the time is over, and all that was typed within it is read. */
  private isDrained = false
  private isOpen = false

  /** @param millis How long the subject has to have been on the screen. */
  constructor(millis = reactionMillis) {
    this.millis = millis
  }

  /** A frame is being drawn with something that keys may answer: another subject has not been reacted to. */
  shown(subject: unknown): void {
    if (subject !== this.subject) {
      this.subject = subject
      this.begin()
    }
    if (subject === undefined || this.isOpen) return
    const { overAt } = this
    // The frame says that keys answer.
    if (this.isDrained || this.millis === 0) this.isOpen = true
    else if (overAt !== undefined && performance.now() >= overAt) {
      // This process may have been busy: what waits for it is read in this turn of the loop.
      setImmediate(() => {
        if (this.overAt === overAt) this.isDrained = true
      })
    }
  }

  /** That frame is on the screen. */
  drawn(): void {
    if (this.subject !== undefined) this.overAt ??= performance.now() + this.millis
  }

  /** A key came. */
  pressed(): void {
    if (!this.isOpen) this.begin()
  }

  /** Whether keys answer. */
  get isOver(): boolean {
    return this.isOpen
  }

  /** Milliseconds until the screen may say that keys answer. Infinity where it does, or nothing is waited for. */
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
