/** What renderers ask of a screen, without one: themes whose styles return their text unchanged, and hints for keys. */
import type { Paint } from "./tui/components.ts"
import { type MarkdownTheme, markdownStyles } from "./tui/markdown.ts"

const plain: Paint = (text) => text

const styles = <Name extends string>(...names: ReadonlyArray<Name>) =>
  Object.fromEntries(names.map((name) => [name, plain])) as Record<Name, Paint>

export const getMarkdownTheme = (): MarkdownTheme => styles(...markdownStyles)

export const getSelectListTheme = (): Readonly<Record<string, Paint>> =>
  styles("selectedPrefix", "selectedText", "description", "scrollInfo", "noMatch")

export const getSettingsListTheme = (): Readonly<Record<string, Paint | string>> => ({
  ...styles("label", "value", "description", "hint"),
  cursor: "→ ",
})

export const getEditorTheme = (): Readonly<Record<string, unknown>> => ({
  borderColor: plain,
  selectList: getSelectListTheme(),
})

/** Does nothing: there is only one theme. */
export const initTheme = (): void => undefined

/** The keys that our own components read: hints for others would be wrong. */
const keys: Readonly<Record<string, string>> = {
  "tui.select.up": "up",
  "tui.select.down": "down",
  "tui.select.confirm": "enter",
  "tui.select.cancel": "escape",
  "tui.input.submit": "enter",
  "tui.input.newLine": "shift+enter",
}

/** `<key> <description>`; only the description if no key has this binding. */
export const keyHint = (keybinding: string, description: string): string =>
  Object.hasOwn(keys, keybinding) ? `${keys[keybinding]} ${description}` : description

/** The key of a binding; empty if there is none. */
export const keyText = (keybinding: string): string =>
  Object.hasOwn(keys, keybinding) ? keys[keybinding]! : ""

/** `<key> <description>` for a key that the tool reads itself. */
export const rawKeyHint = (key: string, description: string): string => `${key} ${description}`
