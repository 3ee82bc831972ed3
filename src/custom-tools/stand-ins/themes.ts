/** The themes of pi's components without a screen: every style returns its text unchanged. */
import { plainTheme } from "../theme.ts"
import type { Paint } from "./tui/background.ts"
import type { MarkdownTheme } from "./tui/markdown.ts"

const plain = (text: string): string => text
const { bold, italic, strikethrough, underline } = plainTheme

export const getMarkdownTheme = (): MarkdownTheme => ({
  heading: plain,
  link: plain,
  linkUrl: plain,
  code: plain,
  codeBlock: plain,
  codeBlockBorder: plain,
  quote: plain,
  quoteBorder: plain,
  hr: plain,
  listBullet: plain,
  bold,
  italic,
  strikethrough,
  underline,
})

export const getSelectListTheme = (): Readonly<Record<string, Paint>> => ({
  selectedPrefix: plain,
  selectedText: plain,
  description: plain,
  scrollInfo: plain,
  noMatch: plain,
})

export const getSettingsListTheme = (): Readonly<Record<string, Paint | string>> => ({
  label: plain,
  value: plain,
  description: plain,
  cursor: "→ ",
  hint: plain,
})

export const getEditorTheme = (): Readonly<Record<string, unknown>> => ({
  borderColor: plain,
  selectList: getSelectListTheme(),
})

/** Does nothing: there is only one theme. */
export const initTheme = (): void => undefined
