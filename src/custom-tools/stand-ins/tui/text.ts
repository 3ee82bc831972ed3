/** Text that is wrapped to its width. */
import { wrapTextWithAnsi } from "./ansi-text.ts"
import type { Paint } from "./background.ts"
import { PaddedText } from "./padded-text.ts"

export class Text extends PaddedText {
  constructor(text = "", paddingX = 1, paddingY = 1, paint?: Paint) {
    super(text, paddingX, paddingY, paint)
  }

  setCustomBgFn(paint?: Paint): void {
    this.paint = paint
  }

  protected override linesOf(text: string, width: number): Array<string> {
    return wrapTextWithAnsi(text, width)
  }
}
