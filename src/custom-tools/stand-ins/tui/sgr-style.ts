/** Tracks the active terminal styles, so that a text can be split in the middle of them. */

const sgr = /^\x1b\[([\d;:]*)m$/

/** The code that turns a style off; undefined for codes that are none. */
const offOf = (code: number): number | undefined => {
  if (code === 1 || code === 2) return 22
  if (code >= 3 && code <= 9) return code === 6 ? 25 : code + 20
  if (code === 21) return 24
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 39
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 49
  return code === 53 ? 55 : undefined
}

/** Splits `1;38;5;208` into `1` and `38;5;208`. */
const splitCodes = (params: string): Array<string> => {
  const numbers = params.split(";")
  const codes: Array<string> = []
  for (let index = 0; index < numbers.length; ) {
    const isColor = numbers[index] === "38" || numbers[index] === "48"
    const length = !isColor ? 1 : numbers[index + 1] === "2" ? 5 : 3
    codes.push(numbers.slice(index, index + length).join(";"))
    index += length
  }
  return codes
}

export class SgrStyle {
  /** The code of each active style, with the one that turns it off. */
  private readonly on = new Map<string, number>()

  /** Applies a sequence; ignores all except styles. */
  apply(sequence: string): void {
    const params = sgr.exec(sequence)?.[1]
    if (params === undefined) return
    for (const code of splitCodes(params)) this.applyCode(code)
  }

  /** The sequence that turns the active styles on; empty if there are none. */
  get opening(): string {
    return this.on.size === 0 ? "" : `\x1b[${[...this.on.keys()].join(";")}m`
  }

  /** The sequence that turns off only the active styles, not, for example, a surrounding background. */
  get closing(): string {
    return this.on.size === 0 ? "" : `\x1b[${[...new Set(this.on.values())].join(";")}m`
  }

  private applyCode(code: string): void {
    const number = Number.parseInt(code, 10) || 0
    if (number === 0) return this.on.clear()
    const off = offOf(number)
    // Bold and faint can be combined; of several colours the last one counts.
    if (off === undefined) this.turnOff(number)
    else {
      if (off === 39 || off === 49) this.turnOff(off)
      this.on.set(code, off)
    }
  }

  private turnOff(off: number): void {
    for (const [code, its] of this.on) if (its === off) this.on.delete(code)
  }
}
