/** Components that only draw lines: texts, what stacks others, and what is shown while work is running. */
import type { Theme } from "../../theme.ts"
import type { Component } from "../../ui-context.ts"
import { padTo, truncateToWidth, wrapTextWithAnsi } from "./ansi-text.ts"

export type Paint = (text: string) => string

interface Margins {
  readonly paddingX: number
  readonly paddingY: number
  paint: Paint | undefined
}

/** Adds margins, and a background up to the full width. Without a background, lines are not padded. */
const withMargins = (
  lines: ReadonlyArray<string>,
  width: number,
  { paddingX, paddingY, paint }: Margins,
): Array<string> => {
  const drawn = (line: string): string => (paint === undefined ? line : paint(padTo(line, width)))
  const empty = Array.from({ length: paddingY }, () => drawn(""))
  return [...empty, ...lines.map((line) => drawn(" ".repeat(paddingX) + line)), ...empty]
}

/** Text that is wrapped to its width. Draws nothing if it is blank. */
export class Text implements Component {
  private text: string
  private readonly margins: Margins

  constructor(text = "", paddingX = 1, paddingY = 1, paint?: Paint) {
    this.text = text
    this.margins = { paddingX, paddingY, paint }
  }

  setText(text: string): void {
    this.text = text
  }

  setCustomBgFn(paint?: Paint): void {
    this.margins.paint = paint
  }

  invalidate(): void {}

  render(width: number): Array<string> {
    const { text, margins } = this
    if (text.trim() === "") return []
    const lines = this.linesOf(text.replaceAll("\t", "   "), Math.max(1, width - 2 * margins.paddingX))
    return withMargins(lines, width, margins)
  }

  /** The lines between the margins. */
  protected linesOf(text: string, width: number): Array<string> {
    return wrapTextWithAnsi(text, width)
  }
}

/** Draws the first line of a text, cut to the width. */
export class TruncatedText implements Component {
  private readonly line: string
  private readonly paddingX: number
  private readonly paddingY: number

  constructor(text: string, paddingX = 0, paddingY = 0) {
    this.line = text.split("\n")[0]!
    this.paddingX = paddingX
    this.paddingY = paddingY
  }

  invalidate(): void {}

  render(width: number): Array<string> {
    const margin = " ".repeat(this.paddingX)
    const empty = Array.from({ length: this.paddingY }, () => "")
    const shown = truncateToWidth(this.line, Math.max(1, width - 2 * this.paddingX), "...", true)
    return [...empty, margin + shown + margin, ...empty]
  }
}

/** Returns the first or the last lines of a wrapped text, and how many are omitted. */
export const truncateToVisualLines = (
  text: string,
  maxVisualLines: number,
  width: number,
  paddingX = 0,
  keep: "start" | "end" = "end",
): { readonly visualLines: Array<string>; readonly skippedCount: number } => {
  const lines = new Text(text, paddingX, 0).render(width)
  const skippedCount = Math.max(0, lines.length - maxVisualLines)
  const start = keep === "end" ? skippedCount : 0
  return { visualLines: lines.slice(start, start + maxVisualLines), skippedCount }
}

/** Stacks components vertically. */
export class Container implements Component {
  children: Array<Component> = []

  addChild(child: Component): void {
    this.children.push(child)
  }

  removeChild(child: Component): void {
    const index = this.children.indexOf(child)
    if (index !== -1) this.children.splice(index, 1)
  }

  clear(): void {
    this.children = []
  }

  invalidate(): void {
    for (const child of this.children) child.invalidate?.()
  }

  render(width: number): Array<string> {
    return this.children.flatMap((child) => child.render(width))
  }
}

/** A container with margins and a background. */
export class Box extends Container {
  private readonly margins: Margins

  constructor(paddingX = 1, paddingY = 1, paint?: Paint) {
    super()
    this.margins = { paddingX, paddingY, paint }
  }

  setBgFn(paint?: Paint): void {
    this.margins.paint = paint
  }

  override render(width: number): Array<string> {
    const lines = super.render(Math.max(1, width - 2 * this.margins.paddingX))
    return lines.length === 0 ? [] : withMargins(lines, width, this.margins)
  }
}

/** Empty lines. */
export class Spacer implements Component {
  private lines: number

  constructor(lines = 1) {
    this.lines = lines
  }

  setLines(lines: number): void {
    this.lines = lines
  }

  invalidate(): void {}

  render(): Array<string> {
    return Array.from({ length: this.lines }, () => "")
  }
}

/** A horizontal line over the full width. */
export class DynamicBorder implements Component {
  private readonly paint: Paint

  constructor(paint: Paint = (line) => line) {
    this.paint = paint
  }

  invalidate(): void {}

  render(width: number): Array<string> {
    return [this.paint("─".repeat(Math.max(1, width)))]
  }
}

/** Escape and Ctrl-C. */
const isCancel = (data: string): boolean => data === "\x1b" || data === "\x03"

/**
 * A message between two borders, while work is running. Escape aborts its signal; with `cancellable: false`, keys do nothing. The
 * spinner is static, because nothing requests a redraw.
 */
export class BorderedLoader extends Container {
  onAbort?: (() => void) | undefined
  private readonly controller = new AbortController()
  private readonly cancellable: boolean

  constructor(
    _tui: unknown,
    theme: Theme,
    message: string,
    options: { readonly cancellable?: boolean } = {},
  ) {
    super()
    this.cancellable = options.cancellable ?? true
    const border = new DynamicBorder((line) => theme.fg("border", line))
    const shown = new Text(`${theme.fg("accent", "⋯")} ${theme.fg("muted", message)}`, 1, 0)
    const hint = this.cancellable ? [new Spacer(1), new Text(theme.fg("muted", "escape: cancel"), 1, 0)] : []
    for (const part of [border, shown, ...hint, new Spacer(1), border]) this.addChild(part)
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  handleInput(data: string): void {
    if (!this.cancellable || !isCancel(data) || this.signal.aborted) return
    this.controller.abort()
    this.onAbort?.()
  }

  dispose(): void {}
}
