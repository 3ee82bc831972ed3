/** A line to type into. */
import type { Component } from "../../ui-context.ts"
import { CURSOR_MARKER, truncateToWidth, visibleWidth } from "./ansi-text.ts"
import { EditableText } from "./editable-text.ts"
import { matchesKey } from "./keys.ts"

const prompt = "> "

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The text with its cursor drawn: the character under it inverted. */
export const withCursor = (before: string, after: string, isFocused: boolean): string => {
  const [under] = graphemes.segment(after.slice(0, 64))
  const isOnText = under !== undefined && under.segment !== "\n"
  const rest = isOnText ? after.slice(under.segment.length) : after
  return `${before}${isFocused ? CURSOR_MARKER : ""}\x1b[7m${isOnText ? under.segment : " "}\x1b[27m${rest}`
}

/** The end of a text that fits into some columns. */
const endOf = (text: string, width: number): string => {
  let over = visibleWidth(text) - width
  if (over <= 0) return text
  for (const { segment, index } of graphemes.segment(text)) {
    if (over <= 0) return text.slice(index)
    over -= visibleWidth(segment)
  }
  return ""
}

export class Input implements Component {
  onSubmit?: (value: string) => void
  onEscape?: () => void
  focused = false
  private readonly edited = new EditableText()

  getValue(): string {
    return this.edited.text
  }

  setValue(value: string): void {
    this.edited.set(value)
  }

  handleInput(data: string): void {
    if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) this.onEscape?.()
    else if (matchesKey(data, "enter")) this.onSubmit?.(this.edited.text)
    else this.edited.handle(data)
    // What was pasted may have lines. Their ends take as much room as spaces: the cursor stays where it is.
    this.edited.text = this.edited.text.replaceAll("\n", " ")
  }

  invalidate(): void {}

  /** Begins past the start of a text whose cursor would not be seen. */
  render(width: number): Array<string> {
    const { before, after } = this.edited
    const shown = withCursor(endOf(before, Math.max(0, width - prompt.length - 1)), after, this.focused)
    return [truncateToWidth(prompt + shown, width, "")]
  }
}
