/** The themes of pi's components where there is no screen: every style gives its text as it is. */
import { plainTheme } from "../theme.ts"
import type { MarkdownTheme } from "./tui/markdown.ts"
import type { SettingsListTheme } from "./tui/settings-list.ts"

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

export const getSettingsListTheme = (): SettingsListTheme => ({
  label: plain,
  value: plain,
  description: plain,
  cursor: "→ ",
  hint: plain,
})
