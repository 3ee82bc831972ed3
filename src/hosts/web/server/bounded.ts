/** Bounds texts for a page, with a note on what is left out. */

/** Characters of one text for a page. */
const maxShown = 100_000

/** The start of a text, followed by its full length. */
export const bounded = (text: string, max = maxShown): string =>
  text.length <= max ? text : `${text.slice(0, max)}\n[cut: ${text.length} characters in all]`

/** Characters of a name. */
const maxName = 200
/** Characters of one line for people. */
const maxTitle = 300

/** The start of a name, which a model may have made of any length. */
export const boundedName = (name: string): string => bounded(name, maxName)

/** The start of a line for people. */
export const boundedTitle = (title: string): string => bounded(title, maxTitle)

/** Whether `bounded` leaves some of it out. */
export const isCut = (text: string): boolean => text.length > maxShown

/** How many parts of a value are counted before it is considered large. */
const maxCounted = 200

/** The approximate length of a value as JSON; undefined if it is too large to be counted, or to be shown whole. */
export const roughSize = (value: unknown): number | undefined => {
  const values = [value]
  let size = 0
  for (let index = 0; index < values.length; index++) {
    const next = values[index]
    if (typeof next === "string") size += next.length
    else if (typeof next === "object" && next !== null) {
      const within = Array.isArray(next) ? next : Object.entries(next).flat()
      if (values.length + within.length > maxCounted) return undefined
      values.push(...within)
    }
    size += 8
    if (size > maxShown) return undefined
  }
  return size
}

/** The end of a stream. */
export class Tail {
  private text = ""
  private total = 0
  private readonly max: number

  constructor(max = maxShown) {
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
