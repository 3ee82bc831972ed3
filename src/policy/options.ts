/** Reads the options before a wrapper's command, as getopt does. Unlisted options are not guessed. */
import type { ShellWord } from "./shell-word.ts"

export interface OptionSpec {
  /** Short options as getopt writes them: `"k:v"` is `-k value` and `-v`. */
  readonly short?: string
  /** Long options; a name that ends in `=` takes a value. */
  readonly long?: ReadonlyArray<string>
}

export interface ReadOptions {
  /** Options by name, without dashes; a flag's value is `""`. */
  readonly options: ReadonlyMap<string, string>
  /** The position of the first operand. */
  readonly index: number
}

/** Undefined if the options cannot be determined: one is not listed, or a word expands and may become one or more options. */
export const readOptions = (words: ReadonlyArray<ShellWord>, spec: OptionSpec): ReadOptions | undefined => {
  const { short = "", long = [] } = spec
  const options = new Map<string, string>()
  let index = 0

  const takeValue = (name: string): boolean => {
    index += 1
    const value = words[index]
    if (value?.literal !== true) return false
    options.set(name, value.text)
    return true
  }

  const readLong = (text: string): boolean => {
    const equals = text.indexOf("=")
    const name = equals < 0 ? text.slice(2) : text.slice(2, equals)
    if (long.includes(`${name}=`)) {
      if (equals < 0) return takeValue(name)
      options.set(name, text.slice(equals + 1))
      return true
    }
    options.set(name, "")
    return equals < 0 && long.includes(name)
  }

  const readShort = (text: string): boolean => {
    for (let at = 1; at < text.length; at += 1) {
      const name = text[at]!
      const listed = name === ":" ? -1 : short.indexOf(name)
      if (listed < 0) return false
      if (short[listed + 1] !== ":") {
        options.set(name, "")
        continue
      }
      if (at === text.length - 1) return takeValue(name)
      options.set(name, text.slice(at + 1))
      return true
    }
    return true
  }

  for (; index < words.length; index += 1) {
    const { text, literal } = words[index]!
    if (!literal) return undefined
    if (text === "--") return { options, index: index + 1 }
    if (text === "-" || !text.startsWith("-")) break
    if (!(text.startsWith("--") ? readLong(text) : readShort(text))) return undefined
  }
  return { options, index }
}
