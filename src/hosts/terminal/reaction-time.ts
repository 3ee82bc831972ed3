/**
 * Whether a person can have seen what their keys would answer. What has just come onto the screen answers to no key yet:
 * who typed already was typing something else. A key within that time begins it anew, so that one held down never answers.
 */

/** In milliseconds: nobody reads and reacts in less. */
export const reactionMillis = 300

export class ReactionTime {
  private subject: unknown
  private over = 0

  /** Something stands on the screen: another subject has not been reacted to. */
  shown(subject: unknown): void {
    if (subject === this.subject) return
    this.subject = subject
    this.begin()
  }

  /** A key came. */
  pressed(): void {
    if (!this.isOver) this.begin()
  }

  get isOver(): boolean {
    return this.subject !== undefined && performance.now() >= this.over
  }

  /** Milliseconds until it is over. Infinity where nothing is waited for. */
  get wait(): number {
    if (this.subject === undefined || this.isOver) return Number.POSITIVE_INFINITY
    return this.over - performance.now()
  }

  private begin(): void {
    this.over = performance.now() + reactionMillis
  }
}
