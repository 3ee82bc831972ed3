/**
 * The calls of an executor on a terminal: blocks that run are drawn in place at the bottom, blocks that have ended
 * scroll up as ordinary text. Draws at most every `frameInterval`, and not at all while nothing changes.
 */
import type { ToolEvent } from "../../pipeline/model/event.ts"
import type { Tool } from "../../pipeline/model/tool.ts"
import type { ToolFilters } from "../../policy/index.ts"
import { type Block, isFinished } from "./block.ts"
import { BlockList } from "./block-list.ts"
import { columnsOf } from "./columns.ts"
import { FrameTimer } from "./frame-timer.ts"
import { GateView } from "./gate-view.ts"
import { liveLines } from "./live-lines.ts"
import { type Frame, LiveRegion, type TerminalOutput } from "./live-region.ts"
import type { PageTurn } from "./pager.ts"
import { ReactionTime } from "./reaction-time.ts"
import { RememberedRules } from "./remembered-rules.ts"
import { renderBlock } from "./render-block.ts"
import type { RenderBlockOptions } from "./render-options.ts"
import { spinnerInterval } from "./render-parts.ts"
import { Scrollback } from "./scrollback.ts"
import { type Style, styleOf } from "./style.ts"
import { columnsIn, rowsIn } from "./terminal-size.ts"

/** The options of a `BlockView`. */
export interface BlockViewOptions {
  readonly output: TerminalOutput
  readonly colors: boolean
  readonly tool: (name: string) => Tool<unknown> | undefined
  /** The lines under the blocks, such as a prompt. */
  readonly footer?: (width: number) => Frame
  /** Called once a frame is on the screen. */
  readonly onDrawn?: () => void
  /** What is said behind the call that runs in the foreground. */
  readonly hint?: string
  /** Tells what `a` would remember; a gate does not say it without. */
  readonly filters?: Pick<ToolFilters, "rememberable">
  /** Whether `e` edits the call at a gate. Default false. */
  readonly mayEdit?: boolean
  /** What is said behind the keys of a gate, where they do not answer it for now. */
  readonly gateNote?: () => string | undefined
}

/** Milliseconds between two frames. */
const frameInterval = 33

/** Draws the calls of an executor on a terminal: those that run in place, those that have ended as ordinary text above. */
export class BlockView {
  readonly blocks = new BlockList()
  readonly style: Style
  private readonly options: BlockViewOptions
  private readonly region: LiveRegion
  /** Gates in the order in which they opened: a newer one never takes the place of the one on show. */
  private readonly gates = new Set<string>()
  /** The gate that stands on the screen. */
  private shownGate: string | undefined
  private readonly remembered: RememberedRules
  private readonly gateView = new GateView()
  private readonly reaction = new ReactionTime()
  private readonly scrollback = new Scrollback()
  private isHeld = false
  private lastFinished: Block | undefined
  private readonly timer = new FrameTimer(() => this.draw())
  private drawnAt = 0
  private isClosed = false

  constructor(options: BlockViewOptions) {
    this.options = options
    this.style = styleOf(options.colors)
    this.region = new LiveRegion(options.output)
    this.remembered = new RememberedRules(options)
  }

  /** One column stays free, so that no line ever makes the terminal wrap. */
  get width(): number {
    return Math.max(20, columnsIn(this.options.output) - 1)
  }

  /** The call whose gate the keys answer. Nobody can mean one that is not on the screen yet, or has just come there. */
  get gate(): string | undefined {
    return this.reaction.isOver ? this.gateOnShow : undefined
  }

  /** The call whose gate is on the screen. */
  get gateOnShow(): string | undefined {
    return this.shownGate !== undefined && this.gates.has(this.shownGate) ? this.shownGate : undefined
  }

  /** Whether all that the gate asks about has been on the screen: only then it may be approved. */
  get isGateRead(): boolean {
    return this.gate !== undefined && this.gateView.isRead
  }

  /** Is to be told of every key. */
  pressed(): void {
    this.reaction.pressed()
  }

  /** Turns the gate's page; what has not been on the screen yet is passed over on the way to the end only. */
  turnPage(way: PageTurn): void {
    this.gateView.turn(way)
    this.invalidate()
  }

  /** The calls that wait for a decision, in the order in which they are asked. */
  get waiting(): Iterable<string> {
    return this.gates
  }

  apply(event: ToolEvent): Block | undefined {
    const block = this.blocks.apply(event, Date.now())
    if (block === undefined) return undefined
    if (block.status === "pending") this.gates.add(block.callId)
    else this.gates.delete(block.callId)
    this.invalidate()
    return block
  }

  /** Somebody has approved this call's gate. */
  approved(callId: string): void {
    this.blocks.approved(callId, Date.now())
    this.gates.delete(callId)
    this.invalidate()
  }

  /** Somebody has denied this call's gate. */
  denied(callId: string): void {
    this.gates.delete(callId)
    this.invalidate()
  }

  /** What has not ended is shown no longer. */
  forget(): void {
    this.blocks.clear()
    this.gates.clear()
    this.invalidate()
  }

  /** Adds lines to what scrolls up. */
  print(lines: ReadonlyArray<string>): void {
    this.scrollback.print(lines)
    this.invalidate()
  }

  /** Adds a block as it is now. @param isAsked Whether somebody is to decide on what it says: then it is shown whole. */
  printBlock(block: Block, isAsked = false): void {
    if (isFinished(block)) this.lastFinished = block
    this.print(this.render(block, isAsked ? { isAsked } : {}))
  }

  /** Adds, unfolded, the block that somebody is most likely to look at: the gate, what runs, what has ended. */
  expand(): void {
    const gate = this.shownBlock
    const running = [...this.blocks].find(({ background, status }) => !background && status === "running")
    const block = gate ?? running ?? this.lastFinished
    if (block === undefined) return
    const lines = this.render(block, { maxLines: Number.POSITIVE_INFINITY, answerable: true })
    // Its keys stay with the gate that lives.
    this.print(block === gate ? lines.slice(0, -1) : lines)
  }

  /** Draws soon; many changes make one frame. */
  invalidate(): void {
    this.schedule(Math.max(Date.now(), this.drawnAt + frameInterval))
  }

  /** Draws now. */
  draw(): void {
    if (this.isClosed || this.isHeld) return
    this.timer.clear()
    this.drawnAt = Date.now()
    this.shownGate = this.gates.values().next().value
    const footer = this.options.footer?.(this.width) ?? { live: [] }
    // As long as the keys are somebody else's, nobody can mean the gate.
    this.reaction.shown(this.options.gateNote?.() === undefined ? this.shownBlock : undefined)
    const live = this.liveLines(footer.live.length)
    const { cursor } = footer
    this.region.draw({
      printed: this.scrollback.take(),
      live: [...live, ...footer.live],
      ...(cursor !== undefined && { cursor: { ...cursor, row: cursor.row + live.length } }),
    })
    this.gateView.drawn()
    this.reaction.drawn()
    this.options.onDrawn?.()
    const { wait } = this.reaction
    this.schedule(Date.now() + Math.min(footer.changesIn ?? wait, wait))
    if ([...this.blocks].some((block) => block.status === "running")) {
      this.schedule(this.drawnAt + spinnerInterval)
    }
  }

  /** Draws everything that lives again, on a cleared screen where `clear` is true. */
  redraw(clear: boolean): void {
    this.region.reset(clear)
    this.draw()
  }

  /** The terminal has another size. A narrower one has broken all lines, nobody knows where: the screen begins anew. */
  resized(): void {
    if (this.region.isAsWide) return this.draw()
    const { output } = this.options
    const rowsOf = (line: string) => Math.max(1, Math.ceil(columnsOf(line) / columnsIn(output)))
    this.scrollback.again(rowsIn(output) - 1 - this.region.height, rowsOf)
    this.redraw(true)
  }

  /** Leaves the terminal to somebody else; what is printed meanwhile is kept. */
  hold(): void {
    this.pause()
    this.isHeld = true
  }

  release(): void {
    this.isHeld = false
    this.draw()
  }

  /** Takes the live lines away until the next frame. */
  pause(): void {
    this.timer.clear()
    this.reaction.shown(undefined)
    this.region.close()
  }

  /** Takes the live lines away for good; what was printed stays. */
  close(): void {
    if (this.isClosed) return
    this.draw()
    this.isClosed = true
    this.pause()
  }

  private schedule(at: number): void {
    if (!this.isClosed) this.timer.at(at)
  }

  private get shownBlock(): Block | undefined {
    return this.gateOnShow === undefined ? undefined : this.blocks.get(this.gateOnShow)
  }

  private blockOptions(block: Block): RenderBlockOptions {
    const tool = this.options.tool(block.toolName)
    return {
      width: this.width,
      now: Date.now(),
      colors: this.options.colors,
      answerable: block.callId === this.gateOnShow && !Number.isFinite(this.reaction.wait),
      ...(tool !== undefined && { tool }),
    }
  }

  private render(block: Block, options: Partial<RenderBlockOptions>): Array<string> {
    return renderBlock(block, { ...this.blockOptions(block), ...options })
  }

  private liveLines(reserved: number): Array<string> {
    return liveLines({
      blocks: this.blocks,
      gate: this.shownBlock,
      rows: rowsIn(this.options.output) - 2 - reserved,
      style: this.style,
      hint: this.options.hint,
      render: (block, options) => this.render(block, options),
      drawGate: (gate, rows) => this.gateLines(gate, rows),
    })
  }

  private gateLines(gate: Block, room: number): Array<string> {
    const others = this.gates.size - 1
    const note =
      this.options.gateNote?.() ?? (others === 0 ? undefined : `${others} more to decide after this`)
    // A preview is applied as it was shown.
    const mayEdit = this.options.mayEdit === true && gate.askedBy === undefined
    const options = { ...this.blockOptions(gate), ...this.remembered.of(gate), mayEdit }
    return this.gateView.draw(gate, options, room, note)
  }
}
