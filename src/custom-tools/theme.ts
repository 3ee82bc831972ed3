/** The theme that renderers and UI code are given where the host has none: every style gives its text as it is. */
import { themeSymbols } from "./theme-symbols.ts"

/** What renderers of both runtimes ask of a theme. A host may give one that colours. */
export interface Theme {
  fg(color: string, text: string): string
  bg(color: string, text: string): string
  bold(text: string): string
  italic(text: string): string
  underline(text: string): string
  strikethrough(text: string): string
  inverse(text: string): string
}

const plain = (text: string): string => text
const plainIn = (_color: string, text: string): string => text

/** It also has what the published themes have beyond the type, such as signs and spinner frames. */
export const plainTheme: Theme = {
  fg: plainIn,
  bg: plainIn,
  bold: plain,
  italic: plain,
  underline: plain,
  strikethrough: plain,
  inverse: plain,
  ...themeSymbols,
}
