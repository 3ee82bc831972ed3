/** A list to choose from with the arrow keys and Enter. */
import type { Component } from "../../ui-context.ts"
import { padTo, truncateToWidth, visibleWidth } from "./ansi-text.ts"
import type { Paint } from "./background.ts"
import { matchesKey } from "./keys.ts"
import { isCancel, movedBy, shownRows } from "./scrolling.ts"

export interface SelectItem {
  readonly value: string
  readonly label: string
  readonly description?: string
}

export interface SelectListTheme {
  readonly selectedPrefix: Paint
  readonly selectedText: Paint
  readonly description: Paint
  readonly scrollInfo: Paint
  readonly noMatch: Paint
}

const widestLabel = 32

export class SelectList implements Component {
  onSelect?: (item: SelectItem) => void
  onCancel?: () => void
  onSelectionChange?: (item: SelectItem) => void
  private readonly items: ReadonlyArray<SelectItem>
  private shown: ReadonlyArray<SelectItem>
  private selected = 0
  private readonly maxVisible: number
  private readonly theme: SelectListTheme

  constructor(items: ReadonlyArray<SelectItem>, maxVisible: number, theme: SelectListTheme) {
    this.items = items
    this.shown = items
    this.maxVisible = maxVisible
    this.theme = theme
  }

  /** Shows the items whose value begins with a text. */
  setFilter(filter: string): void {
    this.shown = this.items.filter(({ value }) => value.toLowerCase().startsWith(filter.toLowerCase()))
    this.selected = 0
  }

  setSelectedIndex(index: number): void {
    this.selected = Math.max(0, Math.min(index, this.shown.length - 1))
  }

  getSelectedItem(): SelectItem | null {
    return this.shown[this.selected] ?? null
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const moved = movedBy(data, this.selected, this.shown.length)
    const item = this.shown[moved ?? this.selected]
    if (moved !== undefined) {
      this.selected = moved
      this.onSelectionChange?.(item!)
    } else if (matchesKey(data, "enter") && item !== undefined) this.onSelect?.(item)
    else if (isCancel(data)) this.onCancel?.()
  }

  render(width: number): Array<string> {
    const { shown, theme, selected } = this
    if (shown.length === 0) return [truncateToWidth(theme.noMatch("  No matching items"), width)]
    const { start, end } = shownRows(selected, shown.length, this.maxVisible)
    const labels = shown.map(({ label, value }) => visibleWidth(label || value))
    const column = Math.min(widestLabel, Math.max(...labels)) + 2
    const lines = shown
      .slice(start, end)
      .map((item, index) => this.row(item, start + index === selected, column))
    if (end - start < shown.length) lines.push(theme.scrollInfo(`  (${selected + 1}/${shown.length})`))
    return lines.map((line) => truncateToWidth(line, width))
  }

  private row({ label, value, description }: SelectItem, isSelected: boolean, column: number): string {
    const text = label || value
    const about = description?.replace(/\s+/g, " ").trim()
    const cell = about === undefined ? text : padTo(truncateToWidth(text, column - 2), column)
    if (isSelected) return this.theme.selectedPrefix("→ ") + this.theme.selectedText(cell + (about ?? ""))
    return `  ${cell}${about === undefined ? "" : this.theme.description(about)}`
  }
}
