/** Draws the visible part of the timeline: the cost depends on the screen, not on the number of calls. */
import type { CallRow, SpanRow } from "../../state/page-state.ts"
import { callLabel } from "../texts.tsx"
import { duration } from "../times.ts"
import type { Fold, FoldedScale } from "./folds.ts"
import { startOf, type TimelineLayout } from "./layout.ts"
import { firstSeen } from "./places.ts"
import { markText, type Range, stepOf } from "./scale.ts"

export const axisHeight = 26
/** A finger needs more room than a pointer. */
const isCoarse = matchMedia("(pointer: coarse)").matches
export const trackHeight = isCoarse ? 44 : 26
const barHeight = isCoarse ? 32 : 18
const barTop = (trackHeight - barHeight) / 2

/** The colours of the page's style. */
export type Colors = Readonly<Record<ColorName, string>>

const colorNames = [
  "surface",
  "ink",
  "muted",
  "rule",
  "band",
  "bar",
  "bar-2",
  "bar-ink",
  "run",
  "run-2",
  "gate",
  "wait",
  "tidy",
  "bad",
  "bad-bar",
  "off",
  "focus",
] as const
type ColorName = (typeof colorNames)[number]

/** Reads the colours, which follow light and dark mode. */
export const readColors = (element: Element): Colors => {
  const style = getComputedStyle(element)
  return Object.fromEntries(
    colorNames.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
  ) as Colors
}

/** What to draw, and where. In CSS pixels. */
export interface Picture {
  readonly context: CanvasRenderingContext2D
  readonly layout: TimelineLayout
  readonly scale: FoldedScale
  /** The visible positions of the scale. */
  readonly range: Range
  /** The start of the first call, the zero of the axis. */
  readonly zero: number
  readonly now: number
  readonly width: number
  readonly height: number
  /** The vertical scroll position. */
  readonly top: number
  readonly colors: Colors
  readonly font: string
  readonly open: number | undefined
  readonly focused: number | undefined
  readonly hasFocus: boolean
  readonly hatch: (color: string) => CanvasPattern | string
}

const xOf = ({ scale, range, width }: Picture, time: number): number =>
  ((scale.at(time) - range.from) / (range.to - range.from)) * width

const drawAxis = (picture: Picture): void => {
  const { context, scale, range, width, colors, zero, font, height } = picture
  const step = stepOf(range, width)
  const [first, last] = [scale.timeAt(range.from) - zero, scale.timeAt(range.to) - zero]
  const folds = scale.folds.filter(({ at }) => at > range.from - width && at < range.to)
  context.fillStyle = colors.surface
  context.fillRect(0, 0, width, axisHeight)
  context.font = font
  context.textBaseline = "middle"
  for (let at = Math.ceil(first / step) * step; at <= last; at += step) {
    const fold = scale.foldOf(zero + at)
    if (fold !== undefined) {
      at = Math.floor((fold.to - zero) / step) * step
      continue
    }
    const x = Math.round(xOf(picture, zero + at)) + 0.5
    context.fillStyle = colors.rule
    context.fillRect(x - 0.5, axisHeight - 5, 1, 5)
    context.globalAlpha = 0.5
    context.fillRect(x - 0.5, axisHeight, 1, height)
    context.globalAlpha = 1
    context.fillStyle = colors.muted
    const text = markText(at, step)
    if (x + 4 + context.measureText(text).width < width) context.fillText(text, x + 4, axisHeight / 2)
  }
  context.fillStyle = colors.rule
  context.fillRect(0, axisHeight - 1, width, 1)
  for (const fold of folds) drawFold(picture, fold)
}

/** Draws a folded wait, with its duration. */
const drawFold = (picture: Picture, { from, to }: Fold): void => {
  const { context, colors, height, hatch } = picture
  const [left, right] = [xOf(picture, from), xOf(picture, to)]
  const text = `⋯ ${duration(to - from)}`
  const wide = context.measureText(text).width + 8
  context.fillStyle = colors.surface
  context.fillRect(left, 0, right - left, axisHeight - 1)
  context.fillStyle = hatch(colors.rule)
  context.fillRect(left, axisHeight, right - left, height)
  if (wide > right - left + 24) return
  const middle = (left + right - wide) / 2
  context.fillStyle = colors.surface
  context.fillRect(middle, 0, wide, axisHeight - 1)
  context.fillStyle = colors.ink
  context.fillText(text, middle + 4, axisHeight / 2)
}

const isOn = ({ endedAt }: CallRow): boolean => endedAt === undefined

const barColor = (call: CallRow, colors: Colors, index: number): string => {
  if (call.status === "error") return colors["bad-bar"]
  if (call.status === "denied" || call.status === "cancelled") return colors.off
  if (isOn(call)) return index % 2 === 0 ? colors.run : colors["run-2"]
  return index % 2 === 0 ? colors.bar : colors["bar-2"]
}

const drawSpan = (picture: Picture, call: CallRow, span: SpanRow, index: number, y: number): void => {
  const { context, colors, now, hatch, width } = picture
  const from = Math.max(-10, xOf(picture, span.from))
  const to = Math.min(width + 10, xOf(picture, span.to ?? now))
  const wide = Math.max(to - from, 0.6)
  if (span.kind === "finally") {
    context.fillStyle = colors.tidy
    context.fillRect(from, y + barHeight - 5, wide, 5)
    return
  }
  if (span.kind === "handler") {
    context.fillStyle = barColor(call, colors, index)
    context.fillRect(from, y, wide, barHeight)
    if (wide > 6) {
      context.fillStyle = colors.surface
      context.fillRect(from + wide - 1, y, 1, barHeight)
    }
  } else {
    const color = span.kind === "gate" ? colors.gate : colors.wait
    context.fillStyle = colors.surface
    context.fillRect(from, y, wide, barHeight)
    context.fillStyle = hatch(color)
    context.fillRect(from, y, wide, barHeight)
    context.fillStyle = color
    context.fillRect(from, y, wide, 1.5)
    context.fillRect(from, y + barHeight - 1.5, wide, 1.5)
  }
  if (span.failed && call.status !== "cancelled") {
    context.fillStyle = colors.bad
    context.fillRect(from + wide - 3, y, 3, barHeight)
  }
}

/** The space for a bar and its label: from `left` to `right`, and then free up to `next`. */
interface Place {
  readonly left: number
  readonly right: number
  readonly next: number
  readonly y: number
}

/** Pixels that a label needs, within its bar and beside it. */
const leastWithin = 40
const leastBeside = 56

const drawLabel = (picture: Picture, call: CallRow, { left, right, next, y }: Place): void => {
  const { context, colors, width } = picture
  const from = Math.max(left, 0) + 6
  const room = Math.min(right, width) - from - 4
  const beside = Math.min(next, width) - right - 8
  if (room < leastWithin && beside >= leastBeside && right > 0)
    return drawBeside(picture, call, right + 5, beside, y)
  if (room < 24) return
  // Text on a hatched part needs a background.
  const text = labelOf(call)
  context.save()
  context.beginPath()
  context.rect(from - 6, y, room + 8, barHeight)
  context.clip()
  const isHatched = call.spans.some(({ kind }) => kind === "gate" || kind === "wait")
  if (isHatched) {
    context.fillStyle = colors.surface
    context.globalAlpha = 0.85
    context.fillRect(from - 3, y + 3, Math.min(room + 3, context.measureText(text).width + 6), barHeight - 6)
    context.globalAlpha = 1
  }
  context.fillStyle = isHatched ? colors.ink : colors["bar-ink"]
  context.fillText(text, from, y + barHeight / 2 + 0.5)
  context.restore()
}

const labelOf = (call: CallRow): string => callLabel(call).slice(0, 160)

/** Draws the label of a bar that is too short for it. */
const drawBeside = (
  { context, colors }: Picture,
  call: CallRow,
  x: number,
  room: number,
  y: number,
): void => {
  context.save()
  context.beginPath()
  context.rect(x, y, room, barHeight)
  context.clip()
  context.fillStyle = colors.ink
  context.fillText(labelOf(call), x, y + barHeight / 2 + 0.5)
  context.restore()
}

const shortColor = (call: CallRow, colors: Colors): string => {
  if (call.status === "error") return colors.bad
  return call.status === "waiting" ? colors.gate : barColor(call, colors, 0)
}

const drawCall = (picture: Picture, call: CallRow, next: number, y: number): void => {
  const { context, colors, now, open, focused, hasFocus } = picture
  const start = startOf(call)!
  const left = xOf(picture, start)
  const right = Math.max(xOf(picture, call.endedAt ?? now), left + 2.5)
  const place = { left, right, next, y }
  const [from, to] = [Math.max(left, -10), Math.min(right, picture.width + 10)]
  const isMarked = call.key === open || (hasFocus && call.key === focused)
  // Thousands of these may be visible: no corners, no parts.
  if (to - from < 5 && !isMarked) {
    context.fillStyle = shortColor(call, colors)
    context.fillRect(from, y, to - from, barHeight)
    return drawLabel(picture, call, place)
  }
  context.save()
  context.beginPath()
  context.roundRect(from, y, Math.max(to - from, 2.5), barHeight, Math.min(4, (to - from) / 2))
  context.clip()
  context.fillStyle = call.startedAt === undefined ? colors.off : barColor(call, colors, 1)
  context.fillRect(from, y, to - from, barHeight)
  if (right - left > 3)
    for (const [index, span] of call.spans.entries()) drawSpan(picture, call, span, index, y)
  if (call.status === "error") {
    context.fillStyle = colors.bad
    context.fillRect(Math.max(from, to - 3), y, 3, barHeight)
  }
  context.restore()
  drawLabel(picture, call, place)
  const isFocused = hasFocus && call.key === focused
  if (call.key === open || isFocused) {
    context.strokeStyle = isFocused ? colors.focus : colors.ink
    context.lineWidth = 2
    context.beginPath()
    context.roundRect(from - 2, y - 2, to - from + 4, barHeight + 4, 6)
    context.stroke()
  }
}

const drawTrack = (picture: Picture, keys: ReadonlyArray<number>, y: number): void => {
  const { layout, scale, range, now } = picture
  const [first, last] = [scale.timeAt(range.from), scale.timeAt(range.to)]
  let drawnTo = Number.NEGATIVE_INFINITY
  for (let at = firstSeen(layout, keys, first, now); at < keys.length; at++) {
    const call = layout.get(keys[at]!)
    if (call === undefined) continue
    const start = startOf(call)!
    if (start > last) return
    const right = xOf(picture, call.endedAt ?? now)
    // Of several bars within a pixel, only one is drawn; failed calls are always drawn.
    if (right < drawnTo + 1 && call.status !== "error" && call.key !== picture.open) continue
    drawnTo = Math.max(right, xOf(picture, start) + 1)
    const after = layout.get(keys[at + 1] ?? -1)
    const next = after === undefined ? Number.POSITIVE_INFINITY : xOf(picture, startOf(after) ?? last)
    drawCall(picture, call, next, y + barTop)
  }
}

/** Draws the whole picture. */
export const paint = (picture: Picture): void => {
  const { context, layout, width, height, top, colors, now, font } = picture
  context.clearRect(0, 0, width, height)
  let isBand = false
  let y = axisHeight - top
  context.font = font
  context.textBaseline = "middle"
  for (const row of layout.rows) {
    const rowHeight = row.tracks.length * trackHeight
    if (isBand) {
      context.fillStyle = colors.band
      context.fillRect(0, y, width, rowHeight)
    }
    isBand = !isBand
    y += rowHeight
  }
  drawAxis(picture)
  context.save()
  context.beginPath()
  context.rect(0, axisHeight, width, height - axisHeight)
  context.clip()
  for (const [row, track, index] of layout.tracks()) {
    const trackTop = axisHeight + index * trackHeight - top
    if (trackTop > height) break
    if (trackTop + trackHeight > axisHeight) drawTrack(picture, row.tracks[track]!, trackTop)
  }
  const x = xOf(picture, now)
  if (x >= 0 && x <= width) {
    context.fillStyle = colors.run
    context.globalAlpha = 0.6
    context.fillRect(Math.round(x), axisHeight, 1, height)
    context.globalAlpha = 1
  }
  context.restore()
}
