/**
 * Programs whose arguments are scripts, which may run a program of the caller's choosing, or write. A rule such as
 * `^awk\b` was not meant for them. Options that do so are in power-options.ts.
 */
import type { ShellWord } from "./shell-word.ts"

const awk = (args: ReadonlyArray<ShellWord>): boolean =>
  args.some(({ text, literal }) => !literal || /system|getline|[|>@]|^-[^Fv]/.test(text))

/** `p`, `d`, `q` and `=` with line numbers, and a substitution without the flags `e` and `w`. */
const harmlessSed =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?[pdq=]$|^s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpI\d]*$/

const sed = (args: ReadonlyArray<ShellWord>): boolean => {
  if (!args.every((word) => word.literal)) return true
  const texts = args.map((word) => word.text)
  const options = texts.filter((text) => text.startsWith("-"))
  if (!options.every((option) => /^-[nErsuz]*e?$|^--(quiet|silent|regexp-extended)$/.test(option)))
    return true
  const scripts = texts.filter((_, at) => /^-[nErsuz]*e$/.test(texts[at - 1] ?? ""))
  if (scripts.length === 0) scripts.push(texts.find((text) => !text.startsWith("-")) ?? "")
  return !scripts.every((script) => harmlessSed.test(script))
}

/** They change the shell's way of reading the rest of the line, but for these settings. */
const set = (args: ReadonlyArray<ShellWord>): boolean =>
  !args.every(
    ({ text, literal }) =>
      literal && /^[-+][eufxCv]*o?$|^(pipefail|errexit|nounset|xtrace|noclobber)$/.test(text),
  )

/** `[ -v 'a[$(rm x)]' ]` runs the command in the subscript. */
const test = (args: ReadonlyArray<ShellWord>): boolean =>
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

/** Whether these arguments give a program more power than its name promises, or may do so. */
export const escapes = (name: string, args: ReadonlyArray<ShellWord>): boolean =>
  readers.get(name)?.(args) ?? false
