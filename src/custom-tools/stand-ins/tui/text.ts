/** Text that is wrapped to its width. */
import type { Component } from "../../ui-context.ts"
import { wrapTextWithAnsi } from "./ansi-text.ts"
import { type Paint, withPadding } from "./background.ts"

/** A text component. Draws nothing if its text is blank. */
export class Text implements Component {
  private text: string
  private readonly paddingX: number
  private readonly paddingY: number
  private paint: Paint | undefined

  constructor(text = "", paddingX = 1, paddingY = 1, paint?: Paint) {
    this.text = text
    this.paddingX = paddingX
    this.paddingY = paddingY
    this.paint = paint
  }

  setText(text: string): void {
    this.text = text
  }

  setCustomBgFn(paint?: Paint): void {
    this.paint = paint
  }

  invalidate(): void {}

  render(width: number): Array<string> {
    if (this.text.trim() === "") return []
    const lines = wrapTextWithAnsi(this.text.replaceAll("\t", "   "), width - 2 * this.paddingX)
    return withPadding(lines, { width, x: this.paddingX, y: this.paddingY, paint: this.paint })
  }
}
