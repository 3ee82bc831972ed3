/**
 * The commands that other commands run: `sudo`, `xargs`, `find -exec`, `bash -c` and similar. If it is uncertain what runs, the
 * result records this, and deny patterns are still applied to guesses.
 */
import { isHarmlessSetting, isOwnName } from "./assignments.ts"
import { escapes } from "./escapes.ts"
import type { ShellInput } from "./fed-input.ts"
import type { Dialect } from "./grammar.ts"
import type { Around } from "./line-context.ts"
import { names } from "./names.ts"
import { type OptionSpec, readOptions } from "./options.ts"
import { joinWords, programName, type ShellWord, unknownWord } from "./shell-word.ts"

interface Placed {
  /** Differences from the surroundings of the command that runs it. */
  readonly around?: Partial<Around>
}

/** Source that a shell reads; not `literal` if parts of it are known only when it runs. */
interface InnerCode extends Placed {
  readonly _tag: "Code"
  readonly source: string
  readonly literal: boolean
  readonly dialect: Dialect
}

/** Another command, already split into words. */
interface InnerCommand extends Placed {
  readonly _tag: "Command"
  readonly words: ReadonlyArray<ShellWord>
}

export type Inner =
  | InnerCommand
  | InnerCode
  /** May be a command or code. Deny patterns are applied to it; it cannot be approved. */
  | { readonly _tag: "Guess"; readonly inner: Inner }
  /** Runs something that cannot be determined beforehand. */
  | { readonly _tag: "Unseen" }
  /** Does more than its name suggests: a person who sees the whole line can judge it, a pattern cannot. */
  | { readonly _tag: "Delicate" }

interface WrapperSpec extends OptionSpec {
  /** The number of operands between the options and the command. Default 0. */
  readonly operands?: number
  /** Whether `NAME=value` words may precede the command. */
  readonly assignments?: boolean
  /** Whether a shell reads the joined words again. */
  readonly code?: boolean
  /** Whether a shell that reads its standard input runs if no command is given. */
  readonly interactive?: boolean
  /** Options with which no command runs. */
  readonly inert?: string
  /** Options with which the command runs in another folder. */
  readonly moves?: ReadonlyArray<string>
}

type InnerCommands = ReadonlyArray<Inner>
type Reader = (args: ReadonlyArray<ShellWord>, input: ShellInput | undefined) => InnerCommands

const unseen: Inner = { _tag: "Unseen" }
const delicate: Inner = { _tag: "Delicate" }
const maxGuesses = 64

const codeOf = (words: ReadonlyArray<ShellWord>, dialect: Dialect = "sh"): InnerCode => ({
  _tag: "Code",
  dialect,
  source: joinWords(words),
  literal: words.every((word) => word.literal),
})

/** Any word of a launcher may begin the command that it runs, or may be code. */
const guesses = (args: ReadonlyArray<ShellWord>): InnerCommands =>
  args.slice(0, maxGuesses).flatMap((word, index): Array<Inner> => {
    const command: Inner = { _tag: "Guess", inner: { _tag: "Command", words: args.slice(index) } }
    return /\s/.test(word.text) ? [command, { _tag: "Guess", inner: codeOf([word]) }] : [command]
  })

const launcher: Reader = (args) => [args.every((word) => word.literal) ? delicate : unseen, ...guesses(args)]

/** `env` and `sudo` accept any text as the name before `=`. */
const isAssignment = ({ text }: ShellWord): boolean => text.includes("=")

const wrapper =
  (name: string, spec: WrapperSpec): Reader =>
  (args) => {
    const read = readOptions(args, spec)
    if (read === undefined) return launcher(args, undefined)
    if (spec.inert !== undefined && [...spec.inert].some((name) => read.options.has(name))) return []
    const found: Array<Inner> = []
    let { index } = read
    for (const last = index + (spec.operands ?? 0); index < last && index < args.length; index += 1) {
      if (!args[index]!.literal) return launcher(args, undefined)
    }
    while (spec.assignments === true && index < args.length && isAssignment(args[index]!)) {
      found[0] = delicate
      index += 1
    }
    const words = args.slice(index)
    if (words.length === 0) return spec.interactive === true ? [unseen] : found
    if (words[0]!.text.startsWith("-")) return launcher(words, undefined)
    const { moves = [] } = spec
    const isElsewhere = moves.some((option) => read.options.has(option))
    const inner = spec.code === true ? codeOf(words) : ({ _tag: "Command", words } as const)
    return [...found, isElsewhere ? { ...inner, around: { elsewhere: name } } : inner]
  }

const replaced = (words: ReadonlyArray<ShellWord>, placeholder: string): Array<ShellWord> =>
  words.map((word) => (word.text.includes(placeholder) ? unknownWord(word.text) : word))

const xargs: Reader = (args) => {
  const read = readOptions(args, {
    short: "0rtxon:L:P:s:d:a:E:I:",
    long: [
      ..."null no-run-if-empty verbose exit open-tty".split(" "),
      ..."max-args= max-procs= max-chars= delimiter= arg-file=".split(" "),
    ],
  })
  if (read === undefined) return launcher(args, undefined)
  const words = args.slice(read.index)
  if (words.length === 0) return []
  const placeholder = read.options.get("I")
  if (placeholder === undefined) return [{ _tag: "Command", words: [...words, unknownWord("{}")] }]
  return placeholder === "" ? [unseen] : [{ _tag: "Command", words: replaced(words, placeholder) }]
}

const findRuns = new Set(["-exec", "-execdir", "-ok", "-okdir"])

const find: Reader = (args) => {
  const found: Array<Inner> = []
  for (let index = 0; index < args.length; index += 1) {
    const { text } = args[index]!
    if (!findRuns.has(text)) continue
    const start = index + 1
    const isEnd = (word: ShellWord, at: number): boolean =>
      at >= start && (word.text === ";" || (word.text === "+" && args[at - 1]!.text === "{}"))
    const end = args.findIndex(isEnd)
    if (end < 0) return [...found, ...launcher(args.slice(start), undefined)]
    const words = replaced(args.slice(start, end), "{}")
    found.push({ _tag: "Command", words, ...(text.endsWith("dir") && { around: { elsewhere: "find" } }) })
    index = end
  }
  return found
}

const isStandardInput = (path: string): boolean => /^\/(dev\/(stdin|fd\/)|proc\/)/.test(path)

const script = (
  file: ShellWord | undefined,
  input: ShellInput | undefined,
  dialect: Dialect,
): InnerCommands => {
  if (file !== undefined && !file.literal) return [unseen]
  if (file !== undefined && !isStandardInput(file.text)) return []
  if (input === undefined) return [unseen]
  return [{ _tag: "Code", source: input.text, literal: input.literal, dialect }]
}

/**
 * Letters that do not change how a shell reads a line. Others may: with `-k` a word may be an assignment, with `-i` a `#` may not
 * begin a comment.
 */
const shellLetters = /^[-+][abcefhlmnprstuvxBCEPTo]+$/
const shellSettings =
  /^(allexport|braceexpand|errexit|errtrace|functrace|hashall|monitor|noclobber|noexec|noglob|nounset|physical|pipefail|posix|privileged|verbose|xtrace)$/
const shellFlags = new Set(["--login", "--norc", "--noprofile", "--posix", "--restricted", "--verbose"])

const shell =
  (dialect: Dialect): Reader =>
  (args, input) => {
    const letters = new Set<string>()
    let index = 0
    for (; index < args.length; index += 1) {
      const { text, literal } = args[index]!
      if (!literal) return [unseen, ...guesses(args)]
      if (text === "--" || text === "-") {
        index += 1
        break
      }
      if (shellFlags.has(text)) continue
      if (!/^[-+]/.test(text)) break
      // `+c` reads code, as `-c` does.
      if (!shellLetters.test(text) || /^\+.*[cs]/.test(text)) return [unseen, ...guesses(args)]
      for (const letter of text.slice(1)) {
        if (text.startsWith("-")) letters.add(letter)
        if (letter !== "o") continue
        index += 1
        if (!shellSettings.test(args[index]?.text ?? "")) return [unseen, ...guesses(args)]
      }
    }
    const operand = args[index]
    if (letters.has("c")) return operand === undefined ? [unseen] : [codeOf([operand], dialect)]
    return script(letters.has("s") ? undefined : operand, input, dialect)
  }

/** `read` is harmless if it sets only variables that the line alone uses. */
const read: Reader = (args) => {
  const options = readOptions(args, { short: "ersd:n:N:t:u:" })
  const isHarmless =
    options !== undefined &&
    args.slice(options.index).every(({ text, literal }) => literal && isOwnName(text))
  return isHarmless ? [] : [delicate]
}

const exported: Reader = (args) => {
  const isHarmless = args.every(({ text, literal }) => {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(text) ?? []
    return literal && name !== undefined && isHarmlessSetting(name, value!)
  })
  return isHarmless ? [] : [delicate]
}

/** `source` changes the shell that runs the rest of the line. */
const source: Reader = (args, input) => [delicate, ...script(args[0], input, "bash")]

const trap: Reader = (args) => {
  const code = args[0]?.text === "--" ? args[1] : args[0]
  if (code === undefined || (code.literal && /^-/.test(code.text))) return []
  return [{ ...codeOf([code], "bash"), around: { repeats: true } }]
}

const alias: Reader = (args) => [
  delicate,
  ...args.map((word) => codeOf([{ ...word, text: word.text.slice(word.text.indexOf("=") + 1) }], "bash")),
]

const specs: Readonly<Record<string, WrapperSpec>> = {
  env: {
    short: "0iu:C:v",
    long: names("null ignore-environment unset= chdir= debug"),
    assignments: true,
    moves: ["C", "chdir"],
  },
  sudo: {
    short: "AbEHKknPSBu:g:h:p:C:T:R:D:U:r:t:lVv",
    long: names("background preserve-env set-home non-interactive stdin user= group= prompt= chdir="),
    assignments: true,
    inert: "lKVv",
    moves: ["D", "R", "chdir"],
  },
  doas: { short: "nu:" },
  nice: { short: "n:", long: names("adjustment=") },
  ionice: { short: "tc:n:", long: names("ignore class= classdata=") },
  stdbuf: { short: "i:o:e:", long: names("input= output= error=") },
  setsid: { short: "cfw", long: names("ctty fork wait") },
  nohup: {},
  timeout: {
    short: "fpvk:s:",
    long: names("foreground preserve-status verbose kill-after= signal="),
    operands: 1,
  },
  time: { short: "pvf:", long: names("portability verbose format=") },
  chroot: { long: names("userspec= groups= skip-chdir"), operands: 1, interactive: true },
  flock: {
    short: "eFnosuxE:w:",
    long: names("exclusive no-fork nonblock nb close shared unlock timeout= wait= conflict-exit-code="),
    operands: 1,
  },
  watch: { short: "bcdegtwn:", long: names("beep color differences errexit no-title interval="), code: true },
  strace: { short: "fcCrtTvxyqie:s:a:" },
  command: { short: "pvV", inert: "vV" },
  builtin: {},
  exec: { short: "cla:" },
  arch: {},
  busybox: {},
  toybox: {},
  ssh: { short: "46AaCfGgKkMNnqsTtVvXxYyb:c:i:J:L:l:m:p:R:W:w:", operands: 1, code: true, interactive: true },
}

/** Programs that run their arguments in ways that are not analyzed here. */
const launchers = names(`
  parallel sem su runuser sg script pkexec nsenter unshare systemd-run at batch expect tmux screen entr socat
  setpriv firejail bwrap fakeroot taskset chrt numactl prlimit valgrind perf ltrace gdb
  setarch xvfb-run start-stop-daemon run-parts csh tcsh fish bind complete compgen sshpass ssh-agent
`)

const shells = names("sh bash rbash dash zsh ksh mksh ash")

/** Builtins that change what later names mean, or evaluate their arguments as arithmetic. */
const builtins = names(
  "mapfile readarray getopts let unset declare typeset local readonly unalias hash enable shopt",
)

const readers = new Map<string, Reader>([
  ...Object.entries(specs).map(([name, spec]) => [name, wrapper(name, spec)] as const),
  ...launchers.map((name) => [name, launcher] as const),
  ...shells.map((name) => [name, shell(/^r?bash$/.test(name) ? "bash" : "sh")] as const),
  ...builtins.map((name) => [name, (): InnerCommands => [delicate]] as const),
  ["read", read],
  ["export", exported],
  ["xargs", xargs],
  ["find", find],
  [
    "eval",
    (args) => (args.length === 0 ? [] : [codeOf(args[0]!.text === "--" ? args.slice(1) : args, "bash")]),
  ],
  ["source", source],
  [".", source],
  ["trap", trap],
  ["alias", alias],
])

/** Whether the commands that a program runs are read from its arguments. */
export const isWrapper = (name: string): boolean => readers.has(name)

/** What a command runs, apart from its program. */
export const innerCommands = (
  command: ReadonlyArray<ShellWord>,
  input: ShellInput | undefined,
): InnerCommands => {
  const [first, ...args] = command
  if (first === undefined) return []
  const name = programName(first.text)
  const reader = readers.get(name)
  if (reader !== undefined) return reader(args, input)
  return escapes(name, args) ? [delicate] : []
}
