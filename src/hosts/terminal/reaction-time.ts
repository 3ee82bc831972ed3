/**
 * Whether a person can have seen what their keys would answer. What has just come onto the screen answers to no key yet:
 * who typed already was typing something else. A key within that time begins it anew, so that one held down never answers.
 * What was typed before the screen said that keys answer is read before they do, however long this process was busy.
 */

/** In milliseconds: nobody reads and reacts in less. */
export const reactionMillis = 300

export class ReactionTime {
  private readonly millis: number
  private subject: unknown
  /** Undefined until the subject is on the screen. */
  private overAt: number | undefined
  private isDue = false
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
    const isOver = this.overAt !== undefined && performance.now() >= this.overAt
    this.isDue = subject !== undefined && (this.isDue || isOver || this.millis === 0)
  }

  /** That frame is on the screen. */
  drawn(): void {
    if (this.subject === undefined) return
    this.overAt ??= performance.now() + this.millis
    if (!this.isDue || this.isOpen) return
    const { overAt } = this
    setImmediate(() => {
      if (this.overAt === overAt && this.isDue) this.isOpen = true
    })
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
    if (this.subject === undefined || this.isDue) return Number.POSITIVE_INFINITY
    return this.overAt === undefined ? this.millis : Math.max(0, this.overAt - performance.now())
  }

  private begin(): void {
    this.overAt = undefined
    this.isDue = false
    this.isOpen = false
  }
}
