/**
 * The new part of a terminal's output, which is polled. A terminal returns its whole output, without the beginning if it is
 * too long; the text has colours and carriage returns for a screen.
 */
import { stripVTControlCharacters } from "node:util"

const lost = "\n[output was lost here: it came faster than the client's terminal could be read]\n"

/** An escape sequence that is not complete, or the first half of a line end. */
const unfinished = /(?:\u001b(?:[()#]|\[[^@-~]{0,64}|\][^\u0007\u001b]{0,1024})?|\r)$/

/** The length of the longest end of `seen` that `output` begins with. Takes linear time for any texts. */
const overlapOf = (seen: string, output: string): number => {
  const length = Math.min(seen.length, output.length)
  const shorter = new Uint32Array(length)
  let matched = 0
  const follow = (code: number): void => {
    while (matched > 0 && output.charCodeAt(matched) !== code) matched = shorter[matched - 1]!
    if (output.charCodeAt(matched) === code) matched += 1
  }
  for (let index = 1; index < length; index++) {
    follow(output.charCodeAt(index))
    shorter[index] = matched
  }
  matched = 0
  for (let index = seen.length - length; index < seen.length; index++) follow(seen.charCodeAt(index))
  return matched
}

export class TerminalText {
  private seen = ""
  private held = ""

  /** The text that was not returned before. `isLast`: nothing follows. */
  next(output: string, isLast: boolean): string {
    const raw = this.held + this.newIn(output)
    this.seen = output
    const start = isLast ? -1 : raw.search(unfinished)
    this.held = start < 0 ? "" : raw.slice(start)
    const whole = start < 0 ? raw : raw.slice(0, start)
    return stripVTControlCharacters(whole).replaceAll("\r\n", "\n")
  }

  private newIn(output: string): string {
    const { seen } = this
    if (output.startsWith(seen)) return output.slice(seen.length)
    const overlap = overlapOf(seen, output)
    return overlap > 0 ? output.slice(overlap) : lost + output
  }
}
