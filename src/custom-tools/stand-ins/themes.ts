/** The themes of pi's components without a screen: every style returns its text unchanged. */
import type { Paint } from "./tui/background.ts"
import type { MarkdownTheme } from "./tui/markdown.ts"

const plain: Paint = (text) => text

const styles = (names: string): Readonly<Record<string, Paint>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, plain]))

export const getMarkdownTheme = (): MarkdownTheme =>
  styles(
    "heading link linkUrl code codeBlock codeBlockBorder quote quoteBorder hr listBullet bold italic strikethrough underline",
  ) as unknown as MarkdownTheme

export const getSelectListTheme = (): Readonly<Record<string, Paint>> =>
  styles("selectedPrefix selectedText description scrollInfo noMatch")

export const getSettingsListTheme = (): Readonly<Record<string, Paint | string>> => ({
  ...styles("label value description hint"),
  cursor: "→ ",
})

export const getEditorTheme = (): Readonly<Record<string, unknown>> => ({
  borderColor: plain,
  selectList: getSelectListTheme(),
})

/** Does nothing: there is only one theme. */
export const initTheme = (): void => undefined
