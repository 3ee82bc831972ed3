/**
 * The lines at the bottom of a terminal that are drawn in place, and the text that scrolls up above them. Each frame is one
 * write over the last one, so that nothing flickers; no alternate screen.
 */
import { columnsOf } from "./columns.ts"
import { columnsIn, rowsIn } from "./terminal-size.ts"

/** The used part of a terminal's stream. */
export interface TerminalOutput {
  readonly columns: number
  readonly rows: number
  write(text: string): unknown
}

export interface Frame {
  /** Lines that scroll up above the region, for good. */
  readonly printed?: ReadonlyArray<string>
  /** The region's lines, each narrower than the terminal. */
  readonly live: ReadonlyArray<string>
  /** The position of the cursor, from the region's first line; hidden without one. */
  readonly cursor?: { readonly row: number; readonly column: number }
  /** Milliseconds until the lines change by themselves. Default: never. */
  readonly changesIn?: number
}

const escape = "\u001b["
const hideCursor = `${escape}?25l`
const showCursor = `${escape}?25h`
// Terminals that support this mode show a frame atomically; others ignore it.
const beginFrame = `${escape}?2026h`
const endFrame = `${escape}?2026l`
const clearLine = `${escape}2K`
const clearBelow = `${escape}J`

const up = (rows: number): string => (rows > 0 ? `${escape}${rows}A` : "")
const toColumn = (column: number): string => `${escape}${column + 1}G`

const sameLines = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index])

const nothing: Frame = { live: [] }

export class LiveRegion {
  private readonly output: TerminalOutput
  private shown: Frame = nothing
  private columns: number

  constructor(output: TerminalOutput) {
    this.output = output
    this.columns = columnsIn(output)
  }

  /** Whether the terminal has the width of the last frame. */
  get isAsWide(): boolean {
    return this.columns === columnsIn(this.output)
  }

  /** In lines. */
  get height(): number {
    return this.shown.live.length
  }

  draw(frame: Frame): void {
    const { printed = [] } = frame
    // One row stays free: a region that fills the screen would scroll its first line out of reach.
    const live = frame.live.slice(-Math.max(1, rowsIn(this.output) - 1))
    const cut = frame.live.length - live.length
    const cursor = frame.cursor && { ...frame.cursor, row: Math.max(0, frame.cursor.row - cut) }
    if (printed.length === 0 && this.isShown(live, cursor)) return
    const lines = [...printed, ...live]
    const rowOfCursor = cursor?.row ?? Math.max(0, live.length - 1)
    const body = lines.map((line) => clearLine + line).join("\r\n")
    // Printed lines alone leave the cursor on a line of its own below them.
    const last = live.length === 0 && printed.length > 0 ? "\r\n" : ""
    this.output.write(
      beginFrame +
        hideCursor +
        this.toTop() +
        body +
        last +
        clearBelow +
        up(live.length - 1 - rowOfCursor) +
        (cursor === undefined ? "\r" : toColumn(cursor.column) + showCursor) +
        endFrame,
    )
    this.shown = cursor === undefined ? { live } : { live, cursor }
    this.columns = columnsIn(this.output)
  }

  /** Forgets the shown lines, after other output to the terminal; `clear` empties the screen. */
  reset(clear: boolean): void {
    if (clear) this.output.write(`${escape}2J${escape}H`)
    this.shown = nothing
  }

  /** Removes the region, and shows the cursor. */
  close(): void {
    this.output.write(this.toTop() + clearBelow + showCursor)
    this.shown = nothing
  }

  private isShown(live: ReadonlyArray<string>, cursor: Frame["cursor"]): boolean {
    const before = this.shown
    return (
      this.columns === columnsIn(this.output) &&
      sameLines(before.live, live) &&
      before.cursor?.row === cursor?.row &&
      before.cursor?.column === cursor?.column
    )
  }

  /** A terminal that became narrower has broken the region's lines: each may take several rows. */
  private toTop(): string {
    const { live, cursor } = this.shown
    const row = cursor?.row ?? Math.max(0, live.length - 1)
    const columns = columnsIn(this.output)
    const rowsOf = (width: number) => Math.max(1, Math.ceil(width / columns))
    const above = live.slice(0, row).reduce((rows, line) => rows + rowsOf(columnsOf(line)), 0)
    return `${up(above + Math.floor((cursor?.column ?? 0) / columns))}\r`
  }
}
