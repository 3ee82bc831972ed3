/** The timeline's canvas: its visible range, and its input. It draws only when something has changed. */
import type { CallRow, PageState } from "../../state/page-state.ts"
import { BusyTimes, FoldedScale, worksSince } from "./folds.ts"
import { Hatches } from "./hatches.ts"
import { startOf, TimelineLayout } from "./layout.ts"
import { axisHeight, type Colors, paint, readColors, trackHeight } from "./paint.ts"
import { callAt, keyAcross, keyBeside } from "./places.ts"
import { moved, type Range, zoomed } from "./scale.ts"

/** The callbacks of the canvas. */
export interface CanvasEvents {
  readonly onOpen: (key: number) => void
  /** The call under the pointer or the keys, and the position of its bar on the canvas. */
  readonly onPoint: (call: CallRow | undefined, x: number, y: number) => void
  readonly onFocus: (call: CallRow | undefined) => void
  readonly onFollow: (mode: Mode) => void
  readonly now: () => number
}

/** `fit` shows everything; `follow` follows the present. */
export type Mode = "fit" | "follow" | "free"

const margin = 0.02
/** Pixels beside a bar that count as part of it. */
const slack = 3

/** One canvas. */
export class TimelineCanvas {
  readonly layout = new TimelineLayout()
  private mode: Mode = "fit"
  private range: Range = { from: 0, to: 1000 }
  private zero = 0
  private last = 0
  private runningSince: number | undefined
  private isBusy = false
  private open: number | undefined
  private focused: number | undefined
  private frame = 0
  private later: ReturnType<typeof setTimeout> | undefined
  private colors: Colors
  private readonly hatches = new Hatches()
  private dragged: { readonly x: number; readonly range: Range; moves: boolean } | undefined
  private readonly canvas: HTMLCanvasElement
  private readonly scroller: HTMLElement
  private readonly events: CanvasEvents
  private scale = new FoldedScale(new BusyTimes(), undefined, 0)
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)")
  private readonly light = matchMedia("(prefers-color-scheme: dark)")
  private readonly resized: ResizeObserver

  constructor(canvas: HTMLCanvasElement, scroller: HTMLElement, events: CanvasEvents) {
    this.canvas = canvas
    this.scroller = scroller
    this.events = events
    this.colors = readColors(canvas)
    this.resized = new ResizeObserver(() => this.draw())
    this.resized.observe(scroller)
    this.light.addEventListener("change", this.recolor)
    scroller.addEventListener("scroll", this.draw, { passive: true })
    canvas.addEventListener("wheel", this.wheel, { passive: false })
    canvas.addEventListener("pointerdown", this.down)
    canvas.addEventListener("pointermove", this.move)
    canvas.addEventListener("pointerup", this.up)
    canvas.addEventListener("pointerleave", this.left)
    canvas.addEventListener("keydown", this.key)
    for (const name of ["focus", "blur"]) canvas.addEventListener(name, this.draw)
  }

  close(): void {
    cancelAnimationFrame(this.frame)
    clearTimeout(this.later)
    this.resized.disconnect()
    this.light.removeEventListener("change", this.recolor)
    this.scroller.removeEventListener("scroll", this.draw)
  }

  /** Shows another state. */
  show(state: PageState, open: number | undefined): void {
    this.layout.update(state.calls)
    this.open = open
    const [first] = state.calls.values()
    this.zero = first === undefined ? 0 : first.queuedAt
    this.last = 0
    this.isBusy = false
    this.runningSince = undefined
    for (const call of state.calls.values()) {
      const end = call.endedAt ?? startOf(call)
      if (end !== undefined && end > this.last) this.last = end
      if (call.endedAt === undefined && startOf(call) !== undefined) this.isBusy = true
      const since = worksSince(call)
      if (since !== undefined && since < (this.runningSince ?? Number.POSITIVE_INFINITY))
        this.runningSince = since
    }
    this.draw()
  }

  set(mode: Mode): void {
    this.mode = mode
    this.events.onFollow(mode)
    this.draw()
  }

  zoom(factor: number, around = 0.5): void {
    this.free(zoomed(this.seen, factor, this.mode === "follow" ? 1 - margin : around))
  }

  /** Draws soon, once for several changes. */
  readonly draw = (): void => {
    if (this.frame === 0) this.frame = requestAnimationFrame(this.paint)
  }

  private readonly paint = (): void => {
    this.frame = 0
    const { canvas, scroller } = this
    const context = canvas.getContext("2d")
    const [width, height] = [canvas.clientWidth, scroller.clientHeight]
    if (context === null || width === 0) return
    const ratio = devicePixelRatio
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio)
      canvas.height = Math.round(height * ratio)
      canvas.style.height = `${height}px`
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    this.scale = new FoldedScale(this.layout.busy, this.runningSince, this.events.now())
    this.range = this.shown
    const range = this.seen
    paint({
      context,
      layout: this.layout,
      scale: this.scale,
      range,
      zero: this.zero,
      now: this.events.now(),
      width,
      height,
      top: scroller.scrollTop,
      colors: this.colors,
      font: `11.5px ${getComputedStyle(canvas).fontFamily}`,
      open: this.open,
      focused: this.focused,
      hasFocus: document.activeElement === canvas,
      hatch: (color) => this.hatches.of(context, color),
    })
    if (this.isBusy && this.mode !== "free" && !document.hidden)
      this.drawWhenMoved((range.to - range.from) / width / 2)
  }

  /**
   * Draws again once running bars have grown by half a pixel, because earlier nothing would change. In a fold, only the
   * seconds change.
   */
  private drawWhenMoved(halfPixel: number): void {
    const half = this.runningSince === undefined || this.still.matches ? Math.max(1000, halfPixel) : halfPixel
    clearTimeout(this.later)
    if (half < 20) this.draw()
    else this.later = setTimeout(this.draw, half)
  }

  /** The current visible range. */
  private get shown(): Range {
    const now = this.events.now()
    if (this.mode === "free" || (this.mode === "fit" && this.last === 0)) return this.range
    if (this.mode === "fit") {
      const to = Math.max(this.isBusy ? now : this.last, this.zero + 50)
      return this.around(this.scale.at(this.zero), this.scale.at(to), margin, margin)
    }
    const { from, to } = this.range
    const width = this.scale.at(to) - this.scale.at(from)
    const at = this.scale.at(now)
    return this.around(at - width * (1 - margin), at, 0, width === 0 ? 0 : margin / (1 - margin))
  }

  /** The times of these positions, with a margin on each side as a share of the distance between them. */
  private around(from: number, to: number, left: number, right: number): Range {
    const { scale } = this
    const width = to - from
    return { from: scale.timeAt(from - width * left), to: scale.timeAt(to + width * right) }
  }

  /** The visible range on the scale. */
  private get seen(): Range {
    const { from, to } = this.shown
    return { from: this.scale.at(from), to: this.scale.at(to) }
  }

  private readonly recolor = (): void => {
    this.colors = readColors(this.canvas)
    this.draw()
  }

  /** `range`: on the scale. */
  private free({ from, to }: Range): void {
    this.range = { from: this.scale.timeAt(from), to: this.scale.timeAt(to) }
    if (this.mode !== "free") {
      this.mode = "free"
      this.events.onFollow("free")
    }
    this.draw()
  }

  // --- The pointer

  private readonly wheel = (event: WheelEvent): void => {
    const { deltaX, deltaY, shiftKey, ctrlKey, metaKey, offsetX } = event
    const share = offsetX / this.canvas.clientWidth
    if (ctrlKey || metaKey) {
      event.preventDefault()
      this.free(zoomed(this.seen, Math.exp(deltaY * 0.004), share))
    } else if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) {
      event.preventDefault()
      this.free(moved(this.seen, (deltaX || deltaY) / this.canvas.clientWidth))
    }
  }

  private readonly down = (event: PointerEvent): void => {
    this.canvas.setPointerCapture(event.pointerId)
    this.dragged = { x: event.offsetX, range: this.seen, moves: false }
  }

  private readonly move = (event: PointerEvent): void => {
    const { dragged } = this
    if (dragged !== undefined) {
      const by = (dragged.x - event.offsetX) / this.canvas.clientWidth
      if (dragged.moves || Math.abs(event.offsetX - dragged.x) > 4) {
        dragged.moves = true
        this.free(moved(dragged.range, by))
      }
      return
    }
    const call = this.at(event.offsetX, event.offsetY)
    this.canvas.style.cursor = call === undefined ? "default" : "pointer"
    this.events.onPoint(call, event.offsetX, event.offsetY)
  }

  private readonly up = (event: PointerEvent): void => {
    const { dragged } = this
    this.dragged = undefined
    if (dragged?.moves !== false) return
    const call = this.at(event.offsetX, event.offsetY)
    if (call !== undefined) this.events.onOpen(call.key)
  }

  private readonly left = (): void => {
    this.dragged = undefined
    this.events.onPoint(undefined, 0, 0)
  }

  private at(x: number, y: number): CallRow | undefined {
    const { layout, canvas, scroller } = this
    if (y < axisHeight) return undefined
    const index = Math.floor((y + scroller.scrollTop - axisHeight) / trackHeight)
    const { from, to } = this.seen
    const timeAt = (pixel: number) => this.scale.timeAt(from + (pixel * (to - from)) / canvas.clientWidth)
    return callAt(layout, index, { from: timeAt(x - slack), to: timeAt(x + slack), now: this.events.now() })
  }

  // --- The keys

  private readonly key = (event: KeyboardEvent): void => {
    const done = this.act(event.key)
    if (done) event.preventDefault()
  }

  private act(key: string): boolean {
    const { layout, focused, events } = this
    switch (key) {
      case "ArrowRight":
      case "ArrowLeft":
        return this.focus(keyBeside(layout, focused, key === "ArrowRight" ? 1 : -1))
      case "ArrowDown":
      case "ArrowUp":
        return this.focus(keyAcross(layout, focused, key === "ArrowDown" ? 1 : -1, events.now()))
      case "Enter":
      case " ":
        if (focused !== undefined) events.onOpen(focused)
        return true
      case "+":
      case "=":
        this.zoom(0.6)
        return true
      case "-":
        this.zoom(1 / 0.6)
        return true
      case "0":
        this.set("fit")
        return true
      case "f":
        this.set("follow")
        return true
      default:
        return false
    }
  }

  private focus(key: number | undefined): boolean {
    const call = key === undefined ? undefined : this.layout.get(key)
    if (call === undefined) return true
    this.focused = call.key
    const { from, to } = this.seen
    const start = this.scale.at(startOf(call)!)
    if (start < from || start > to)
      this.free({ from: start - (to - from) * 0.3, to: start + (to - from) * 0.7 })
    const tracks = [...this.layout.tracks()]
    const index = tracks.findIndex(([row, track]) => row.tracks[track]!.includes(call.key))
    const y = index * trackHeight
    if (y < this.scroller.scrollTop) this.scroller.scrollTop = y
    const below = y + axisHeight + trackHeight - this.scroller.clientHeight
    if (below > this.scroller.scrollTop) this.scroller.scrollTop = below
    this.events.onFocus(call)
    this.draw()
    return true
  }
}
