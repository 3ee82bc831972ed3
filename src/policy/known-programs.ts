/**
 * How much of a command an allow rule has to match. Words after the match pass if the program is known: either the tables list
 * its dangerous words, or it does not run anything that its words name. The words of any other program could do anything.
 */
import { isHarmlessSetting } from "./assignments.ts"
import { isScripted } from "./escapes.ts"
import { names } from "./names.ts"
import { isDataProgram } from "./operand-roles.ts"
import { hasEntries, isChecker } from "./power-entries.ts"
import { namedProgram, runnerOf } from "./runners.ts"
import { programName, type ShellWord } from "./shell-word.ts"
import { isWrapper } from "./wrappers.ts"

/** Known programs besides those in the tables and those whose operands are data. */
const others = new Set(
  names(`
    echo nproc printenv locale uptime free groups users who w last lsblk lscpu lspci lsusb getconf expr factor rev
    tsort numfmt b2sum sum zcat gzip gunzip ping dig host nslookup bc python pypy exit return break
    continue shift umask ulimit times dirs bg fg disown suspend logout
  `),
)

/** The folders of system programs: a program of the same name in another folder is a different program. */
const ofTheSystem =
  /^(\/usr(\/local)?)?\/s?bin\/[^/]+$|(^|\/)(node_modules\/\.bin|\.?venv\/bin|vendor\/bin)\/[^/]+$/
const ofTheProject = /^\.\/(gradlew|mvnw)$/

const isKnownName = (name: string): boolean =>
  hasEntries(name) ||
  isDataProgram(name) ||
  isWrapper(name) ||
  isScripted(name) ||
  others.has(name.replace(/[\d.]+$/, ""))

const isKnown = (text: string): boolean =>
  (!text.includes("/") || ofTheSystem.test(text) || ofTheProject.test(text)) && isKnownName(programName(text))

/** The words that may name the program of a runner: the last one names it, the earlier ones may be values of options. */
const ranWords = (words: ReadonlyArray<ShellWord>, from: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = from; at < words.length; at += 1) {
    const { text } = words[at]!
    const before = at === from ? "" : words[at - 1]!.text
    // `uv run -` reads a program.
    if (/^-.|^[A-Za-z_]\w*=/.test(text)) continue
    found.push(at)
    if (before === "--" || !/^-[^=]*$/.test(before)) break
  }
  return found
}

/** Whether a word names a program that checks a project. */
const namesChecker = ({ text, literal }: ShellWord): boolean =>
  literal && isChecker(text.replace(/@[\d.^~]+$/, ""))

/** Whether a word is the version of a language, which names no program. */
const isVersion = ({ text, literal }: ShellWord): boolean => literal && /^\d+(\.\d+)*$/.test(text)

/** `cross-env PATH=. tsc` */
const isSteered = (words: ReadonlyArray<ShellWord>): boolean =>
  words.some(({ text }) => {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(text) ?? []
    return name !== undefined && !isHarmlessSetting(name, value!)
  })

/** `yarn lint` runs a script or an installed program of the project, as `npm run lint` does. */
const runsOwn = (words: ReadonlyArray<ShellWord>): boolean =>
  programName(words[0]!.text) === "yarn" && !words.some(({ text }) => /^(exec|dlx|create)$/.test(text))

/** The word that names the program that a command runs, if this may be any program. */
export const ranWord = (words: ReadonlyArray<ShellWord>): number | undefined => {
  const runner = runnerOf(words)
  return runner?.any !== true || runsOwn(words) ? undefined : ranWords(words, runner.from).at(-1)
}

/** How many words of a command, from the first, a rule has to match. */
export const wordsToMatch = (words: ReadonlyArray<ShellWord>): number => {
  const runner = runnerOf(words)
  if (runner?.any !== true || runsOwn(words)) return isKnown(words[0]!.text) ? 1 : words.length
  const ran = ranWords(words, runner.from)
  const last = ran.at(-1)
  if (runner.other === true || isSteered(words.slice(runner.from, last))) return words.length
  // Without a program, `npm exec` opens a shell.
  const isVerb = runner.from > 1 && words.slice(1, runner.from - 1).every(({ text }) => text.startsWith("-"))
  const isShell = last === undefined && isVerb
  const isKnownRunner = runner.from === 1 || isKnown(words[0]!.text)
  const isHarmless = (at: number) => namesChecker(words[at]!) || (at !== last && isVersion(words[at]!))
  if (isKnownRunner && !isShell && ran.every(isHarmless)) return 1
  return last !== undefined && isKnownName(namedProgram(words[last]!)) ? last + 1 : words.length
}
