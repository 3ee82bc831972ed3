/** The theme for renderers and UI code if the host has none: every style returns its text unchanged. */
import { themeSymbols } from "./theme-symbols.ts"

/** The theme interface for renderers of both runtimes. A host can provide one with colours. */
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

/** The default theme. It also has the members of the published themes beyond the type, such as symbols and spinner frames. */
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
