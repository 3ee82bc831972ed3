/** The theme for renderers and UI code if the host has none: every style returns its text unchanged. */

const box = { horizontal: "─", vertical: "│" }
const roundCorners = { topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯" }
const sharpCorners = { topLeft: "┌", topRight: "┐", bottomLeft: "└", bottomRight: "┘" }
const junctions = { cross: "┼", teeDown: "┬", teeUp: "┴", teeRight: "├", teeLeft: "┤" }

/** The symbols that renderers of oh-my-pi use from their theme, by its published names. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: {
    ...{ success: "✓", error: "✗", warning: "!", info: "i", pending: "○" },
    ...{ disabled: "-", enabled: "+", running: "…", shadowed: "~", aborted: "■" },
  },
  nav: { cursor: ">", selected: "*", expand: "+", collapse: "-", back: "<" },
  tree: { branch: "├─", last: "└─", vertical: "│", horizontal: "─", hook: "└" },
  boxRound: { ...box, ...roundCorners },
  boxSharp: { ...box, ...sharpCorners, ...junctions },
  sep: { dot: " · ", slash: " / ", pipe: " | ", space: " ", block: "█" },
  checkbox: { checked: "[x]", unchecked: "[ ]" },
  format: { bullet: "•", dash: "–", bracketLeft: "[", bracketRight: "]" },
  md: { quoteBorder: "│", hrChar: "─", bullet: "•" },
  icon: {},
  thinking: {},
}

/** The text of an own property; empty for any other, never `undefined` in the middle of a line. */
const textOf = (signs: object, name: PropertyKey): string =>
  Object.hasOwn(signs, name) ? Reflect.get(signs, name) : ""

/** A symbol by its key, such as `status.success`. */
const symbol = (key: string): string => {
  const [group = "", name = ""] = String(key).split(".")
  return textOf(Object.hasOwn(groups, group) ? groups[group]! : {}, name)
}

export const spinnerFrames = ["|", "/", "-", "\\"]
const plain = (text: string): string => text
const plainIn = (_color: string, text: string): string => text

const symbols = {
  ...Object.fromEntries(
    Object.entries(groups).map(([name, signs]) => [name, new Proxy(signs, { get: textOf })]),
  ),
  symbol,
  styledSymbol: symbol,
  spinnerFrames,
  getSpinnerFrames: (): Array<string> => spinnerFrames,
  getSymbolPreset: (): string => "unicode",
  getLangIcon: (): string => "",
  getFgAnsi: (): string => "",
  getBgAnsi: (): string => "",
  getColorMode: (): string => "truecolor",
  getThinkingBorderColor: () => plain,
  getBashModeBorderColor: () => plain,
  getPythonModeBorderColor: () => plain,
}

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

/** The default theme. It also has the members of the published themes beyond the type, such as symbols and spinner frames. */
export const plainTheme: Theme = {
  fg: plainIn,
  bg: plainIn,
  bold: plain,
  italic: plain,
  underline: plain,
  strikethrough: plain,
  inverse: plain,
  ...symbols,
}
