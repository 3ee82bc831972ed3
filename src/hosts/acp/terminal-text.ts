/**
 * What is new in the output of a terminal that is asked for again and again. A terminal gives all that it holds, and
 * drops the start of what is longer than it holds; its text has colours and carriage returns that are for a screen.
 */
import { stripVTControlCharacters } from "node:util"

const lost = "\n[output was lost here: it came faster than the client's terminal could be read]\n"

/** How much of what was dropped at the start is looked for in what was seen. */
const probeLength = 1024

/** An escape sequence that has only begun, or a line end of which half is there. */
const unfinished = /(?:\u001b[^\u0007\u0040-\u005a\u005c\u005e-\u007e]{0,64}|\r)$/

export class TerminalText {
  private seen = ""
  private held = ""

  /** The text that was not given before. `isLast`: nothing follows. */
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
    const probe = output.slice(0, probeLength)
    for (let at = seen.indexOf(probe); at >= 0; at = seen.indexOf(probe, at + 1)) {
      const known = seen.length - at
      if (output.startsWith(seen.slice(at))) return output.slice(known)
    }
    return lost + output
  }
}
