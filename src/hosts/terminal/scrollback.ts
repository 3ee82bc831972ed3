/** What scrolls up: lines that the next frame prints, and the last ones that it has printed, to be there again on a cleared screen. */

/** Printed lines that are kept: more than a screen has rows. */
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

  /** Has the last lines printed again, as many as fit into the rows. */
  again(rows: number, rowsOf: (line: string) => number): void {
    let room = rows
    let first = this.recent.length
    while (first > 0 && room - rowsOf(this.recent[first - 1]!) >= 0) room -= rowsOf(this.recent[--first]!)
    this.printed = [...this.recent.slice(first), ...this.printed]
    this.recent = this.recent.slice(0, first)
  }
}
