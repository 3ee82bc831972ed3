/** The few styles that the terminal host draws with. Whether to use colours is the host's decision, made once. */
import { styleText } from "node:util"

const formats = {
  dim: "dim",
  bold: "bold",
  name: "magenta",
  good: "green",
  bad: "red",
  busy: "cyan",
  ask: "yellow",
  mark: "inverse",
} as const

type StyleName = keyof typeof formats

/** Returns the text in a style, or unchanged if colours are off. */
export type Style = Readonly<Record<StyleName, (text: string) => string>>

const styleWith = (apply: (name: StyleName, text: string) => string): Style => {
  const names = Object.keys(formats) as Array<StyleName>
  return Object.fromEntries(names.map((name) => [name, (text: string) => apply(name, text)])) as Style
}

// Otherwise Node checks stdout, and drops the colours of a host that draws elsewhere.
const colored = styleWith((name, text) => styleText(formats[name], text, { validateStream: false }))
const plain = styleWith((_name, text) => text)

export const styleOf = (colors: boolean): Style => (colors ? colored : plain)

/** Whether the stream shows colours: its terminal, `NO_COLOR` and `FORCE_COLOR` decide. */
export const hasColors = (stream: NodeJS.WriteStream): boolean => {
  if (stream.isTTY) return stream.hasColors()
  const { FORCE_COLOR } = process.env
  return FORCE_COLOR !== undefined && FORCE_COLOR !== "0" && FORCE_COLOR !== "false"
}
