/** The gate on the screen: a page of what it asks about at a time, its keys once all of it was there. */
import type { Block } from "./block.ts"
import { clip, columnsOf } from "./columns.ts"
import { Pager, type PageTurn } from "./pager.ts"
import { type Gate, renderGate } from "./render-gate.ts"
import type { RenderBlockOptions } from "./render-options.ts"
import { styleOf } from "./style.ts"

/** What is said below a page that is not the last one. */
export const moreNote = (below: number): string => `space shows ${below} more ${below === 1 ? "row" : "rows"}`

const backNote = ({ passed }: Pager): string =>
  passed === 0
    ? "PageUp goes back"
    : `${passed} ${passed === 1 ? "row was" : "rows were"} not shown: PageUp goes back`

export class GateView {
  private readonly pager = new Pager()
  /** Drawing a gate costs as much as it is long: it is done once for a width. */
  private last: { readonly block: Block; readonly width: number; readonly gate: Gate } | undefined
  private hasRoom = false

  /** Whether all of the gate that was drawn last has been on the screen, or its end was asked for. */
  get isRead(): boolean {
    return this.pager.isWholeSeen
  }

  turn(way: PageTurn): void {
    this.pager[way]()
  }

  /** @param room How many rows it may take. @param note What is said behind its keys. */
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
    // What was read once may be decided on any of its pages.
    const shown = pager.below === 0 || pager.isWholeSeen ? keys : no
    const hint = clip(said.join("; "), options.width - columnsOf(shown) - 2)
    return [header, ...pager.page, hint === "" ? shown : `${shown}  ${style.dim(hint)}`]
  }

  /** What was drawn is on the screen now. */
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
