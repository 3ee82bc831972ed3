/** The live lines at the bottom of the screen: the order of the blocks, and the room for each. */
import type { Block } from "./block.ts"
import type { RenderBlockOptions } from "./render-options.ts"
import type { Style } from "./style.ts"

const shownQueued = 3
const shownInBackground = 5
/** A gate with fewer rows than this takes the room of the other blocks. */
const leastGateRows = 8

/** The live blocks, and how to draw them. */
export interface LiveBlocks {
  readonly blocks: Iterable<Block>
  /** The gate that is shown. */
  readonly gate: Block | undefined
  /** Rows of the screen for all of them. */
  readonly rows: number
  readonly style: Style
  /** The hint after the call that runs in the foreground. */
  readonly hint: string | undefined
  render(block: Block, options: Partial<RenderBlockOptions>): Array<string>
  drawGate(gate: Block, rows: number): Array<string>
}

/** Background tasks, waiting gates, running calls, queued calls; the visible gate last, above the prompt. */
export const liveLines = (live: LiveBlocks): Array<string> => {
  const { gate, rows } = live
  const back: Array<Block> = []
  const front: Array<Block> = []
  const queued: Array<Block> = []
  for (const block of live.blocks) {
    if (block === gate) continue
    if (block.status === "queued") queued.push(block)
    else if (block.background || block.status === "pending") back.push(block)
    else front.push(block)
  }
  const lines = brief(live, back, shownInBackground, "more in the background")
  const queuedLines = brief(live, queued, shownQueued, "more queued")
  const room = rows - lines.length - queuedLines.length
  if (gate !== undefined && room - front.length < leastGateRows) return live.drawGate(gate, rows + 1)
  lines.push(...frontLines(live, front, room), ...queuedLines)
  if (gate !== undefined) lines.push(...live.drawGate(gate, rows - lines.length))
  return lines
}

/** Foreground calls share the room; if it is too small, some show only their headers. */
const frontLines = (live: LiveBlocks, blocks: ReadonlyArray<Block>, room: number): Array<string> => {
  const maxLines = Math.min(10, Math.floor(room / Math.max(1, blocks.length)) - 2)
  const { hint } = live
  if (maxLines < 1) return brief(live, blocks, Math.max(1, room - 1), "more running")
  return blocks.flatMap((block) => live.render(block, { maxLines, ...(hint !== undefined && { hint }) }))
}

/** The headers of the first blocks, and the number of the others. */
const brief = (
  { render, style }: LiveBlocks,
  blocks: ReadonlyArray<Block>,
  count: number,
  more: string,
): Array<string> => {
  const shown = blocks
    .slice(0, count)
    .map((block) => render(block, block.background ? { hint: `task ${block.callId}` } : {})[0]!)
  const hidden = blocks.length - shown.length
  return hidden === 0 ? shown : [...shown, style.dim(`  … ${hidden} ${more}`)]
}
