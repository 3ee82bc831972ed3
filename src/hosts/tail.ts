/** The end of a stream, with a note about the omitted part. */

/** The end of a stream. */
export class Tail {
  private text = ""
  private total = 0
  private readonly max: number

  /** `max`: how many characters are kept. */
  constructor(max: number) {
    this.max = max
  }

  add(content: string): void {
    this.total += content.length
    this.text += content
    // Cut only at twice the bound, so that a long stream is not copied for every part of it.
    if (this.text.length > 2 * this.max) this.text = this.text.slice(-this.max)
  }

  get size(): number {
    return this.text.length
  }

  toString(): string {
    if (this.total <= this.max) return this.text
    return `[the last part of ${this.total} characters]\n${this.text.slice(-this.max)}`
  }
}
