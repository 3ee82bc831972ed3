/** Text that is cut to its width. */
import type { Component } from "../../ui-context.ts"
import { truncateToWidth } from "./ansi-text.ts"
import { Text } from "./text.ts"

/** Draws the first line of a text, cut to the width. */
export class TruncatedText implements Component {
  private readonly text: string
  private readonly paddingX: number
  private readonly paddingY: number

  constructor(text: string, paddingX = 0, paddingY = 0) {
    this.text = text
    this.paddingX = paddingX
    this.paddingY = paddingY
  }

  invalidate(): void {}

  render(width: number): Array<string> {
    const [line = ""] = this.text.split("\n")
    const margin = " ".repeat(this.paddingX)
    const empty = Array.from({ length: this.paddingY }, () => "")
    const shown = truncateToWidth(line, Math.max(1, width - 2 * this.paddingX), "...", true)
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
