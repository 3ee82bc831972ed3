/** The names of keys for tools. */

const modifierNames = ["shift", "ctrl", "alt", "super"] as const

const keyNames = [
  "escape esc enter return tab space backspace delete insert clear home end pageUp pageDown up down left right",
  "f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12",
].flatMap((names) => names.split(" "))

const symbolNames = {
  backtick: "`",
  hyphen: "-",
  equals: "=",
  leftbracket: "[",
  rightbracket: "]",
  backslash: "\\",
  semicolon: ";",
  quote: "'",
  comma: ",",
  period: ".",
  slash: "/",
  exclamation: "!",
  at: "@",
  hash: "#",
  dollar: "$",
  percent: "%",
  caret: "^",
  ampersand: "&",
  asterisk: "*",
  leftparen: "(",
  rightparen: ")",
  underscore: "_",
  plus: "+",
  pipe: "|",
  tilde: "~",
  leftbrace: "{",
  rightbrace: "}",
  colon: ":",
  lessthan: "<",
  greaterthan: ">",
  question: "?",
} as const

/** A function for each permutation of one to three modifiers: `ctrl`, `ctrlShift`, `shiftCtrl`, … */
const modifierFunctions = (): Record<string, (key: string) => string> => {
  const functions: Record<string, (key: string) => string> = {}
  const add = (used: ReadonlyArray<string>): void => {
    if (used.length > 0) {
      const name = used
        .map((part, index) => (index === 0 ? part : part[0]!.toUpperCase() + part.slice(1)))
        .join("")
      functions[name] = (key) => [...used, key].join("+")
    }
    if (used.length < 3) for (const next of modifierNames) if (!used.includes(next)) add([...used, next])
  }
  add([])
  return functions
}

/** The names of keys: `Key.up`, `Key.comma`, `Key.ctrl("c")`, `Key.ctrlShift("p")`. */
export const Key: Readonly<Record<string, string | ((key: string) => string)>> = {
  ...Object.fromEntries(keyNames.map((name) => [name, name])),
  ...symbolNames,
  ...modifierFunctions(),
}
