/**
 * Programs whose arguments are scripts, which may write files or run other programs. A rule such as `^awk\b` does not cover
 * these. Options that do so are in power-options.ts.
 */
import { isOneWord } from "./arguments.ts"
import { isHarmlessAwk } from "./script-awk.ts"
import { isHarmlessSed } from "./script-sed.ts"
import type { ShellWord } from "./shell-word.ts"

/** Whether a word is an option, or may become one because its beginning expands. */
const isOptionOrUnknown = ({ text, literal, pieces }: ShellWord): boolean =>
  /^-./.test(text) || (!literal && (pieces[0] === undefined || pieces[0] === ""))

/** Only `-F` and `-v` may precede the script. */
const awk = (args: ReadonlyArray<ShellWord>): boolean => {
  let at = 0
  for (let text = args[at]?.text; text !== undefined && /^-[Fv]/.test(text); text = args[at]?.text) {
    const last = text.length === 2 ? at + 1 : at
    if (!args.slice(at, last + 1).every(isOneWord)) return true
    at = last + 1
  }
  const program = args[args[at]?.text === "--" ? at + 1 : at]
  if (program === undefined || !program.literal || /^-./.test(program.text)) return true
  const files = args.slice(args.indexOf(program) + 1)
  // gawk opens a connection for `/inet/tcp/0/host/80`.
  if (files.some((word) => isOptionOrUnknown(word) || word.text.startsWith("/inet"))) return true
  return !isHarmlessAwk(program.text)
}

const sedFlags = /^-[nErsuz]+$|^--(quiet|silent|regexp-extended|null-data|separate|unbuffered|posix|sandbox)$/

/** Options that write in place. Their rules are in the table of options. */
const sedInPlace = /^-[nErsuz]*i|^--in-place(=|$)/

const sed = (args: ReadonlyArray<ShellWord>): boolean => {
  const scripts: Array<ShellWord> = []
  const operands: Array<ShellWord> = []
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]!
    const { text } = word
    const attached = /^(?:-[nErsuz]*e|--expression=)(.+)$/s.exec(text)?.[1]
    if (attached !== undefined) scripts.push({ ...word, text: attached })
    else if (/^(-[nErsuz]*e|--expression)$/.test(text)) {
      at += 1
      if (args[at] === undefined) return true
      scripts.push(args[at]!)
    } else if (!/^-./.test(text)) operands.push(word)
    else if (!(word.literal && (sedFlags.test(text) || sedInPlace.test(text)))) return true
  }
  if (scripts.length === 0) scripts.push(...operands.splice(0, 1))
  return (
    operands.some(isOptionOrUnknown) ||
    scripts.length === 0 ||
    !scripts.every(({ text, literal }) => literal && isHarmlessSed(text))
  )
}

/** Whether `set` changes how the shell reads the rest of the line; the settings below do not. */
const set = (args: ReadonlyArray<ShellWord>): boolean =>
  !args.every(
    ({ text, literal }) =>
      literal && /^[-+][eufxCv]*o?$|^(pipefail|errexit|nounset|xtrace|noclobber)$/.test(text),
  )

const unary = /^-[abcdefghknoprstuwxzGLNOS]$/
const binary = /^(=|==|!=|<|>|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/

/** Whether the number of arguments is as written and the operator is known: `-n "$x"`, `"$x" = y`. */
const isPlainTest = (args: ReadonlyArray<ShellWord>): boolean => {
  const [one, two] = args
  if (one?.text === "!" && args.length > 1) return isPlainTest(args.slice(1))
  if (!args.every(isOneWord) || args.length > 3) return false
  if (args.length < 3) return args.length < 2 || (one!.literal && unary.test(one!.text))
  return two!.literal && binary.test(two!.text)
}

/** `[ -v 'a[$(rm x)]' ]` runs the command in the subscript. */
const test = (args: ReadonlyArray<ShellWord>): boolean =>
  !isPlainTest(args.at(-1)?.text === "]" ? args.slice(0, -1) : args) &&
  !args.every(({ text, literal }) => literal && text !== "-v" && text !== "-R")

const readers = new Map<string, (args: ReadonlyArray<ShellWord>) => boolean>([
  ["awk", awk],
  ["gawk", awk],
  ["mawk", awk],
  ["nawk", awk],
  ["sed", sed],
  ["gsed", sed],
  ["set", set],
  ["test", test],
  ["[", test],
])

/** Whether the program's arguments are read as scripts. */
export const isScripted = (name: string): boolean => readers.has(name)

/** Whether these arguments make a program do more than its name suggests, or may do so. */
export const escapes = (name: string, args: ReadonlyArray<ShellWord>): boolean =>
  readers.get(name)?.(args) ?? false
