/** The gate on the screen: a page of its question at a time, and its keys once all pages were shown. */
import type { Block } from "./block.ts"
import { clip, columnsOf } from "./columns.ts"
import { Pager, type PageTurn } from "./pager.ts"
import { type Gate, renderGate } from "./render-gate.ts"
import type { RenderBlockOptions } from "./render-options.ts"
import { styleOf } from "./style.ts"

/** The note below a page that is not the last one. */
export const moreNote = (below: number): string => `space shows ${below} more ${below === 1 ? "row" : "rows"}`

const backNote = ({ passed }: Pager): string =>
  passed === 0
    ? "PageUp goes back"
    : `${passed} ${passed === 1 ? "row was" : "rows were"} not shown: PageUp goes back`

export class GateView {
  private readonly pager = new Pager()
  /** Drawing takes time in proportion to the gate's length: it is done once for each width. */
  private last: { readonly block: Block; readonly width: number; readonly gate: Gate } | undefined
  private hasRoom = false

  /** Whether all of the last drawn gate has been on the screen, or the user went to its end. */
  get isRead(): boolean {
    return this.pager.isWholeSeen
  }

  turn(way: PageTurn): void {
    this.pager[way]()
  }

  /** @param room The maximum number of rows. @param note The text after the keys. */
  draw(block: Block, options: RenderBlockOptions, room: number, note: string | undefined): Array<string> {
    const { header, rows, keys } = this.gateOf(block, options)
    const style = styleOf(options.colors)
    const { pager } = this
    this.hasRoom = room >= 2
    pager.lay(block, rows, Math.max(0, room - 2))
    const said: Array<string> = []
    if (pager.below > 0) said.push(room < 3 ? "this window is too low to show it" : moreNote(pager.below))
    if (pager.isLong && room >= 3) said.push("End goes to the answer")
    if (pager.below === 0 && pager.hasPages) said.push(backNote(pager))
    if (note !== undefined) said.push(note)
    const no = `  ${style.bad("[n]o")}`
    if (options.answerable === false) return [header, ...pager.page, style.dim("  …")]
    // A gate that was read once can be decided on any of its pages.
    const shown = pager.below === 0 || pager.isWholeSeen ? keys : no
    const hint = clip(said.join("; "), options.width - columnsOf(shown) - 2)
    return [header, ...pager.page, hint === "" ? shown : `${shown}  ${style.dim(hint)}`]
  }

  /** Records that the drawn page is on the screen. */
  drawn(): void {
    if (this.hasRoom) this.pager.drawn()
  }

  private gateOf(block: Block, options: RenderBlockOptions): Gate {
    const { width } = options
    if (this.last?.block !== block || this.last.width !== width)
      this.last = { block, width, gate: renderGate(block, options) }
    return this.last.gate
  }
}
