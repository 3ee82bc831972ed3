/** The signs that renderers of oh-my-pi take from their theme, by the names that it publishes. */

const box = { horizontal: "─", vertical: "│" }
const roundCorners = { topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯" }
const sharpCorners = { topLeft: "┌", topRight: "┐", bottomLeft: "└", bottomRight: "┘" }
const junctions = { cross: "┼", teeDown: "┬", teeUp: "┴", teeRight: "├", teeLeft: "┤" }

const groups = {
  status: {
    success: "✓",
    error: "✗",
    warning: "!",
    info: "i",
    pending: "○",
    disabled: "-",
    enabled: "+",
    running: "…",
    shadowed: "~",
    aborted: "■",
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

const groupOf = (name: string | undefined): Readonly<Record<string, string>> | undefined =>
  name !== undefined && Object.hasOwn(groups, name) ? groups[name as keyof typeof groups] : undefined

/** `status.success` and the like. A sign that is not there is an empty text. */
const symbol = (key: string): string => {
  const [group, name] = String(key).split(".")
  return groupOf(group)?.[name ?? ""] ?? ""
}

/** An unknown name is an empty text, and never `undefined` in the middle of a line. */
const forgiving = (signs: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  new Proxy(signs, { get: (target, name) => (Object.hasOwn(target, name) ? Reflect.get(target, name) : "") })

export const spinnerFrames = ["|", "/", "-", "\\"]
const plain = (text: string): string => text

export const themeSymbols = {
  ...Object.fromEntries(Object.entries(groups).map(([name, signs]) => [name, forgiving(signs)])),
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
