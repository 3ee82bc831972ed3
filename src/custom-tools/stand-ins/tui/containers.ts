/** Components that stack others vertically. */
import type { Component } from "../../ui-context.ts"
import { type Paint, withPadding } from "./background.ts"

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
  private readonly paddingX: number
  private readonly paddingY: number
  private paint: Paint | undefined

  constructor(paddingX = 1, paddingY = 1, paint?: Paint) {
    super()
    this.paddingX = paddingX
    this.paddingY = paddingY
    this.paint = paint
  }

  setBgFn(paint?: Paint): void {
    this.paint = paint
  }

  override render(width: number): Array<string> {
    const lines = super.render(Math.max(1, width - 2 * this.paddingX))
    if (lines.length === 0) return []
    return withPadding(lines, { width, x: this.paddingX, y: this.paddingY, paint: this.paint })
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
