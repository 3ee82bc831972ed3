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

/** All permutations of one to three modifiers. */
const permutations = (used: ReadonlyArray<string>): Array<ReadonlyArray<string>> => {
  if (used.length === 3) return []
  const longer = modifierNames.filter((name) => !used.includes(name)).map((name) => [...used, name])
  return longer.flatMap((names) => [names, ...permutations(names)])
}

/** `ctrl`, `ctrlShift`, `shiftCtrl`, … */
const camelCase = ([first = "", ...others]: ReadonlyArray<string>): string =>
  first + others.map((name) => name[0]!.toUpperCase() + name.slice(1)).join("")

const modifierFunctions = Object.fromEntries(
  permutations([]).map((used) => [camelCase(used), (key: string) => [...used, key].join("+")]),
)

/** The names of keys: `Key.up`, `Key.comma`, `Key.ctrl("c")`, `Key.ctrlShift("p")`. */
export const Key: Readonly<Record<string, string | ((key: string) => string)>> = {
  ...Object.fromEntries(keyNames.map((name) => [name, name])),
  ...symbolNames,
  ...modifierFunctions,
}
