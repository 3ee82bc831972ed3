/** The themes of pi's components without a screen: every style returns its text unchanged. */
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
