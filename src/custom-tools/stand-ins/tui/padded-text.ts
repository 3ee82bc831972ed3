/** The common part of components that draw a text: its margins and its background. */
import type { Component } from "../../ui-context.ts"
import { type Paint, withPadding } from "./background.ts"

/** Draws nothing if its text is blank. */
export abstract class PaddedText implements Component {
  protected paint: Paint | undefined
  private text: string
  private readonly paddingX: number
  private readonly paddingY: number

  constructor(text: string, paddingX: number, paddingY: number, paint?: Paint) {
    this.text = text
    this.paddingX = paddingX
    this.paddingY = paddingY
    this.paint = paint
  }

  setText(text: string): void {
    this.text = text
  }

  invalidate(): void {}

  render(width: number): Array<string> {
    const { text, paddingX: x, paddingY: y, paint } = this
    if (text.trim() === "") return []
    const lines = this.linesOf(text.replaceAll("\t", "   "), Math.max(1, width - 2 * x))
    return withPadding(lines, { width, x, y, paint })
  }

  /** The lines between the margins. */
  protected abstract linesOf(text: string, width: number): Array<string>
}
