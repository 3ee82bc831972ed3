/** The names of keys for tools. */

const symbols: Readonly<Record<string, string>> = {
  ...{ backtick: "`", hyphen: "-", equals: "=", leftbracket: "[", rightbracket: "]", backslash: "\\" },
  ...{ semicolon: ";", quote: "'", comma: ",", period: ".", slash: "/" },
  ...{ exclamation: "!", at: "@", hash: "#", dollar: "$", percent: "%", caret: "^", ampersand: "&" },
  ...{ asterisk: "*", leftparen: "(", rightparen: ")", underscore: "_", plus: "+", pipe: "|", tilde: "~" },
  ...{ leftbrace: "{", rightbrace: "}", colon: ":", lessthan: "<", greaterthan: ">", question: "?" },
}

const modifiers = /^(?:shift|ctrl|alt|super)(?:Shift|Ctrl|Alt|Super)*$/

/** `ctrlShift` makes `ctrl+shift+p` of `p`. */
const withModifiers = (names: string) => (key: string) =>
  `${names.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`)}+${key}`

/** The names of keys: `Key.up`, `Key.comma`, `Key.ctrl("c")`, `Key.ctrlShift("p")`. Any other name is that of its key. */
export const Key = new Proxy<Readonly<Record<string, string | ((key: string) => string)>>>(symbols, {
  get: (target, name) => {
    if (typeof name === "symbol" || name in target) return Reflect.get(target, name)
    return modifiers.test(name) ? withModifiers(name) : name
  },
})
