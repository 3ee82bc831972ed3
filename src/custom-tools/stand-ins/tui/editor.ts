/** Several lines to type into, between two borders. Enter submits; with Shift or Alt it starts a line. */
import type { Component } from "../../ui-context.ts"
import { wrapTextWithAnsi } from "./ansi-text.ts"
import type { Paint } from "./background.ts"
import { EditableText } from "./editable-text.ts"
import { withCursor } from "./input.ts"
import { matchesKey } from "./keys.ts"

export interface EditorTheme {
  readonly borderColor: Paint
}

export class Editor implements Component {
  onSubmit?: (text: string) => void
  onChange?: (text: string) => void
  disableSubmit = false
  focused = false
  borderColor: Paint
  private readonly edited = new EditableText()

  /** The first parameter is the screen of the published class. This one needs none: whoever draws it, draws it again. */
  constructor(_tui: unknown, theme: EditorTheme) {
    this.borderColor = theme.borderColor
  }

  getText(): string {
    return this.edited.text
  }

  getExpandedText(): string {
    return this.edited.text
  }

  getLines(): Array<string> {
    return this.edited.text.split("\n")
  }

  getCursor(): { readonly line: number; readonly col: number } {
    const lines = this.edited.before.split("\n")
    return { line: lines.length - 1, col: lines.at(-1)!.length }
  }

  setText(text: string): void {
    this.edited.set(text)
    this.onChange?.(text)
  }

  insertTextAtCursor(text: string): void {
    this.edited.insert(text)
    this.onChange?.(this.edited.text)
  }

  handleInput(data: string): void {
    const isNewLine = matchesKey(data, "shift+enter") || matchesKey(data, "alt+enter")
    if (isNewLine) this.insertTextAtCursor("\n")
    else if (matchesKey(data, "enter")) this.submit()
    else {
      const before = this.edited.text
      this.edited.handle(data)
      if (this.edited.text !== before) this.onChange?.(this.edited.text)
    }
  }

  invalidate(): void {}

  render(width: number): Array<string> {
    const border = this.borderColor("─".repeat(Math.max(1, width)))
    const text = withCursor(this.edited.before, this.edited.after, this.focused)
    return [border, ...wrapTextWithAnsi(text, width), border]
  }

  private submit(): void {
    if (this.disableSubmit) return
    const text = this.edited.text.trim()
    this.setText("")
    this.onSubmit?.(text)
  }
}
