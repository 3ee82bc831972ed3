/**
 * The calls of an executor on a terminal: running blocks are drawn in place at the bottom, ended blocks scroll up as ordinary
 * text. Draws at most every `frameInterval`, and not at all while nothing changes.
 */
import type { ToolEvent } from "../../model/event.ts"
import type { Tool } from "../../model/tool.ts"
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
  /** The hint after the call that runs in the foreground. */
  readonly hint?: string
  /** Finds what `a` would remember; without it a gate does not show that. */
  readonly filters?: Pick<ToolFilters, "rememberable">
  /** Whether `e` edits the call at a gate. Default false. */
  readonly mayEdit?: boolean
  /** Whether `l` lists the calls that wait together. Default false. */
  readonly mayList?: boolean
  /** The note after the keys of a gate while they do not answer it. */
  readonly gateNote?: () => string | undefined
}

/** Milliseconds between two frames. */
const frameInterval = 33

/** Draws the calls of an executor on a terminal: running ones in place, ended ones as ordinary text above. */
export class BlockView {
  readonly blocks = new BlockList()
  readonly style: Style
  private readonly options: BlockViewOptions
  private readonly region: LiveRegion
  /** Gates in the order in which they opened: a newer one never replaces the one that is shown. */
  private readonly gates = new Set<string>()
  /** The gate on the screen. */
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

  /** The call whose gate the keys answer; undefined while its gate is not on the screen, or has only just appeared. */
  get gate(): string | undefined {
    return this.reaction.isOver ? this.gateOnShow : undefined
  }

  /** The call whose gate is on the screen. */
  get gateOnShow(): string | undefined {
    return this.shownGate !== undefined && this.gates.has(this.shownGate) ? this.shownGate : undefined
  }

  /** Whether the whole question of the gate has been on the screen: only then can it be approved. */
  get isGateRead(): boolean {
    return this.gate !== undefined && this.gateView.isRead
  }

  /** Must be called for every key. */
  pressed(): void {
    this.reaction.pressed()
  }

  /** Turns the gate's page. Only going to the end skips rows that have not been on the screen. */
  turnPage(way: PageTurn): void {
    this.gateView.turn(way)
    this.invalidate()
  }

  /** The calls that wait for a decision, in the order in which they are asked. */
  get waiting(): Iterable<string> {
    return this.gates
  }

  /** The calls of one agent and one tool that wait now, this one among them, in the order in which they are asked. */
  together(callId: string): ReadonlyArray<Block> {
    const of = this.blocks.get(callId)
    const waiting = [...this.gates].flatMap((each) => this.blocks.get(each) ?? [])
    return waiting.filter(({ agentId, toolName }) => agentId === of?.agentId && toolName === of.toolName)
  }

  /** Prints the waiting calls, whole and numbered, for a person to choose from. */
  printGates(blocks: ReadonlyArray<Block>): void {
    for (const [place, block] of blocks.entries()) {
      const [header = "", ...rows] = this.render(block, { answerable: true }).slice(0, -1)
      this.print([`${place + 1}. ${header}`, ...rows])
    }
  }

  apply(event: ToolEvent): Block | undefined {
    const block = this.blocks.apply(event, Date.now())
    if (block === undefined) return undefined
    if (block.status === "pending") this.gates.add(block.callId)
    else this.gates.delete(block.callId)
    this.invalidate()
    return block
  }

  /** Records that the gate of this call was approved. */
  approved(callId: string): void {
    this.blocks.approved(callId, Date.now())
    this.gates.delete(callId)
    this.invalidate()
  }

  /** Records that the gate of this call was denied. */
  denied(callId: string): void {
    this.gates.delete(callId)
    this.invalidate()
  }

  /** Removes the block of a call that was taken out of the executor. */
  left(callId: string): void {
    this.blocks.delete(callId)
    this.gates.delete(callId)
    this.invalidate()
  }

  /** Records that this person has approved a gate that needs more people. */
  voted(callId: string, by: string | undefined): void {
    this.blocks.voted(callId, by)
    this.invalidate()
  }

  /** Moves a gate that waits for somebody else behind the others. */
  putOff(callId: string): void {
    if (this.gates.delete(callId)) this.gates.add(callId)
    this.invalidate()
  }

  /** Removes the blocks that have not ended. */
  forget(): void {
    this.blocks.clear()
    this.gates.clear()
    this.invalidate()
  }

  /** Adds lines that scroll up. */
  print(lines: ReadonlyArray<string>): void {
    this.scrollback.print(lines)
    this.invalidate()
  }

  /** Prints a block as it is now. @param isAsked Whether a person has to decide on its output: then it is shown whole. */
  printBlock(block: Block, isAsked = false): void {
    if (isFinished(block)) this.lastFinished = block
    this.print(this.render(block, isAsked ? { isAsked } : {}))
  }

  /** Prints in full the block that the user most likely wants: the gate, a running call, an ended one. */
  expand(): void {
    const gate = this.shownBlock
    const running = [...this.blocks].find(({ background, status }) => !background && status === "running")
    const block = gate ?? running ?? this.lastFinished
    if (block === undefined) return
    const lines = this.render(block, { maxLines: Number.POSITIVE_INFINITY, answerable: true })
    // The keys stay with the live gate.
    this.print(block === gate ? lines.slice(0, -1) : lines)
  }

  /** Schedules a frame; many changes share one. */
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
    // While the keys do other things, nobody can answer the gate.
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

  /** Draws all live blocks again, on a cleared screen if `clear` is true. */
  redraw(clear: boolean): void {
    this.region.reset(clear)
    this.draw()
  }

  /** Redraws after a resize. A narrower terminal has broken lines at unknown places, so the screen is cleared. */
  resized(): void {
    if (this.region.isAsWide) return this.draw()
    const { output } = this.options
    const rowsOf = (line: string) => Math.max(1, Math.ceil(columnsOf(line) / columnsIn(output)))
    this.scrollback.again(rowsIn(output) - 1 - this.region.height, rowsOf)
    this.redraw(true)
  }

  /** Lends the terminal; lines printed meanwhile are kept. */
  hold(): void {
    this.pause()
    this.isHeld = true
  }

  release(): void {
    this.isHeld = false
    this.draw()
  }

  /** Removes the live lines until the next frame. */
  pause(): void {
    this.timer.clear()
    this.reaction.shown(undefined)
    this.region.close()
  }

  /** Removes the live lines for good; printed lines stay. */
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
    const list = this.options.mayList === true && this.together(gate.callId).length > 1 ? "; [l]ist" : ""
    const note =
      this.options.gateNote?.() ?? (others === 0 ? undefined : `${others} more to decide after this${list}`)
    // A preview is applied as it was shown, and several people approve the same call.
    const mayEdit = this.options.mayEdit === true && gate.askedBy === undefined && gate.quorum === undefined
    const options = { ...this.blockOptions(gate), ...this.remembered.of(gate), mayEdit }
    return this.gateView.draw(gate, options, room, note)
  }
}
