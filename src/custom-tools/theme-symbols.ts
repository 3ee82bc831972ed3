/** The symbols that renderers of oh-my-pi use from their theme, by its published names. */

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

/** A symbol by its key, such as `status.success`; empty if there is none. */
const symbol = (key: string): string => {
  const [group, name] = String(key).split(".")
  return groupOf(group)?.[name ?? ""] ?? ""
}

/** Returns an empty text for an unknown name, never `undefined` in the middle of a line. */
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
