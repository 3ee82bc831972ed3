/** The lines that scroll up: those for the next frame, and the last printed ones, which are reprinted on a cleared screen. */

/** How many printed lines are kept: more than a screen has rows. */
const maxRecent = 200

/** The lines that scroll up. */
export class Scrollback {
  private printed: Array<string> = []
  private recent: ReadonlyArray<string> = []

  print(lines: ReadonlyArray<string>): void {
    this.printed.push(...lines)
  }

  /** The lines of the next frame. */
  take(): ReadonlyArray<string> {
    const { printed } = this
    this.printed = []
    this.recent = [...this.recent, ...printed].slice(-maxRecent)
    return printed
  }

  /** Reprints as many of the last lines as fit the rows. */
  again(rows: number, rowsOf: (line: string) => number): void {
    let room = rows
    let first = this.recent.length
    while (first > 0 && room - rowsOf(this.recent[first - 1]!) >= 0) room -= rowsOf(this.recent[--first]!)
    this.printed = [...this.recent.slice(first), ...this.printed]
    this.recent = this.recent.slice(0, first)
  }
}
