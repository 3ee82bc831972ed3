/**
 * Programs that only seem to read: options and scripts with which they run a program of the caller's choosing, or write.
 * A rule such as `^sort\b` was not meant for `sort -o file`.
 */
import type { ShellWord } from "./shell-word.ts"

interface EscapeOptions {
  readonly short?: string
  readonly long?: ReadonlyArray<string>
  /** Subcommands. */
  readonly words?: ReadonlyArray<string>
}

const gitOutput: EscapeOptions = { long: ["output", "ext-diff"] }
const gitTransport: EscapeOptions = { long: ["upload-pack", "receive-pack", "exec"] }
const tar: EscapeOptions = {
  short: "IF",
  long: [
    "checkpoint-action",
    "to-command",
    "use-compress-program",
    "rsh-command",
    "info-script",
    "new-volume-script",
  ],
}
const fd: EscapeOptions = { short: "xX", long: ["exec", "exec-batch"] }
const copy: EscapeOptions = { short: "SoF" }

const programs = new Map<string, EscapeOptions>([
  ["sort", { short: "o", long: ["output", "compress-program"] }],
  ["shuf", { short: "o", long: ["output"] }],
  ["tree", { short: "o" }],
  ["split", { long: ["filter"] }],
  ["rg", { long: ["pre", "hostname-bin"] }],
  ["fd", fd],
  ["fdfind", fd],
  ["tar", tar],
  ["bsdtar", tar],
  ["rsync", { short: "e", long: ["rsh", "rsync-path"] }],
  ["scp", copy],
  ["sftp", copy],
  ["man", { short: "PH", long: ["pager", "html"] }],
  ["jobs", { short: "x" }],
  ["wait", { short: "p" }],
  ["printf", { short: "v" }],
  ["git diff", gitOutput],
  ["git log", gitOutput],
  ["git show", gitOutput],
  ["git grep", { short: "O", long: ["open-files-in-pager"] }],
  ["git fetch", gitTransport],
  ["git pull", gitTransport],
  ["git clone", { short: "uc", long: ["upload-pack", "config"] }],
  ["git ls-remote", gitTransport],
  ["git push", gitTransport],
  ["git rebase", { short: "x", long: ["exec"] }],
  ["git difftool", { short: "x", long: ["extcmd"] }],
  ["git archive", { short: "o", long: ["output", "exec"] }],
  ["git bisect", { words: ["run"] }],
  ["git submodule", { words: ["foreach"] }],
])

const matches = ({ short = "", long = [], words = [] }: EscapeOptions, text: string): boolean => {
  if (text.startsWith("--")) {
    const name = text.slice(2).split("=", 1)[0]!
    // Long options may be abbreviated.
    return name !== "" && long.some((option) => option.startsWith(name))
  }
  if (text.startsWith("-")) return [...text.slice(1)].some((letter) => short.includes(letter))
  return words.includes(text)
}

const usesOption = (options: EscapeOptions, args: ReadonlyArray<ShellWord>): boolean =>
  args.some((word) => !word.literal || matches(options, word.text))

const git = (args: ReadonlyArray<ShellWord>): boolean => {
  const [subcommand, ...rest] = args
  if (subcommand === undefined) return false
  // `git -c alias.x='!rm y' x`, `git -C elsewhere status`: another configuration runs other programs.
  if (!subcommand.literal || subcommand.text.startsWith("-")) return true
  const options = programs.get(`git ${subcommand.text}`)
  return options !== undefined && usesOption(options, rest)
}

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
  ["git", git],
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
export const escapes = (name: string, args: ReadonlyArray<ShellWord>): boolean => {
  const reader = readers.get(name)
  if (reader !== undefined) return reader(args)
  const options = programs.get(name)
  if (options === undefined) return false
  // Old tar takes its letters without a dash.
  const first = args[0]?.text
  if (name.endsWith("tar") && first !== undefined && matches(options, `-${first}`)) return true
  return usesOption(options, args)
}
