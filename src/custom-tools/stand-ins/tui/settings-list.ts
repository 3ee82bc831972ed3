/** A list of settings, each of which takes the next of its values on Enter or Space, or opens a component of its own. */
import type { Component } from "../../ui-context.ts"
import { padTo, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "./ansi-text.ts"
import type { Paint } from "./background.ts"
import { fuzzyFilter } from "./fuzzy.ts"
import { Input } from "./input.ts"
import { matchesKey } from "./keys.ts"
import { isCancel, movedBy, shownRows } from "./scrolling.ts"

export interface SettingItem {
  readonly id: string
  readonly label: string
  readonly description?: string
  currentValue: string
  readonly values?: ReadonlyArray<string>
  submenu?(currentValue: string, done: (value?: string) => void): Component
}

export interface SettingsListTheme {
  label(text: string, isSelected: boolean): string
  value(text: string, isSelected: boolean): string
  readonly description: Paint
  readonly cursor: string
  readonly hint: Paint
}

export class SettingsList implements Component {
  private readonly items: Array<SettingItem>
  private readonly maxVisible: number
  private readonly theme: SettingsListTheme
  private readonly onChange: (id: string, value: string) => void
  private readonly onCancel: () => void
  private readonly search: Input | undefined
  private selected = 0
  private submenu: Component | undefined

  constructor(
    items: Array<SettingItem>,
    maxVisible: number,
    theme: SettingsListTheme,
    onChange: (id: string, value: string) => void,
    onCancel: () => void,
    options: { readonly enableSearch?: boolean } = {},
  ) {
    this.items = items
    this.maxVisible = maxVisible
    this.theme = theme
    this.onChange = onChange
    this.onCancel = onCancel
    this.search = options.enableSearch === true ? new Input() : undefined
  }

  updateValue(id: string, value: string): void {
    const item = this.items.find((each) => each.id === id)
    if (item !== undefined) item.currentValue = value
  }

  invalidate(): void {
    this.submenu?.invalidate?.()
  }

  handleInput(data: string): void {
    if (this.submenu !== undefined) return this.submenu.handleInput?.(data)
    const { shown } = this
    const moved = movedBy(data, this.selected, shown.length)
    if (moved !== undefined) this.selected = moved
    else if (matchesKey(data, "enter") || data === " ") this.activate(shown[this.selected])
    else if (isCancel(data)) this.onCancel()
    else if (this.search !== undefined) {
      this.search.handleInput(data)
      this.selected = 0
    }
  }

  render(width: number): Array<string> {
    if (this.submenu !== undefined) return this.submenu.render(width)
    const { shown, selected, theme, search } = this
    const lines = search === undefined ? [] : [...search.render(width), ""]
    if (shown.length === 0)
      lines.push(theme.hint(this.items.length === 0 ? "  No settings" : "  No matching settings"))
    const { start, end } = shownRows(selected, shown.length, this.maxVisible)
    const column = Math.min(30, Math.max(0, ...this.items.map(({ label }) => visibleWidth(label))))
    lines.push(
      ...shown.slice(start, end).map((item, index) => this.row(item, start + index === selected, column)),
    )
    if (end - start < shown.length) lines.push(theme.hint(`  (${selected + 1}/${shown.length})`))
    const about = shown[selected]?.description
    if (about !== undefined)
      lines.push("", ...wrapTextWithAnsi(about, width - 2).map((line) => theme.description(`  ${line}`)))
    lines.push(
      "",
      theme.hint(`  ${search === undefined ? "" : "Type to search · "}Enter or Space: change · Esc: close`),
    )
    return lines.map((line) => truncateToWidth(line, width))
  }

  private get shown(): Array<SettingItem> {
    return fuzzyFilter(this.items, this.search?.getValue() ?? "", ({ label }) => label)
  }

  private row({ label, currentValue }: SettingItem, isSelected: boolean, column: number): string {
    const { theme } = this
    const cell = theme.label(padTo(truncateToWidth(label, column), column), isSelected)
    return `${isSelected ? theme.cursor : "  "}${cell}  ${theme.value(currentValue, isSelected)}`
  }

  private activate(item: SettingItem | undefined): void {
    if (item === undefined) return
    if (item.submenu !== undefined) {
      this.submenu = item.submenu(item.currentValue, (value) => {
        if (value !== undefined) this.change(item, value)
        this.submenu = undefined
      })
    } else if (item.values !== undefined && item.values.length > 0) {
      this.change(item, item.values[(item.values.indexOf(item.currentValue) + 1) % item.values.length]!)
    }
  }

  private change(item: SettingItem, value: string): void {
    item.currentValue = value
    this.onChange(item.id, value)
  }
}
