/** A horizontal line over the full width. */
import type { Component } from "../../ui-context.ts"
import type { Paint } from "./background.ts"

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
