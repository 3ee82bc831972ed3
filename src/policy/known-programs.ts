/**
 * How far an allow rule has to match a command. Words behind its match pass where the program is known: what is dangerous
 * among them is in the tables, or the program runs nothing that they name. Of any other, nobody knows what they do.
 */
import { isScripted } from "./escapes.ts"
import { names } from "./names.ts"
import { isDataProgram } from "./operand-roles.ts"
import { hasEntries, isChecker } from "./power-entries.ts"
import { namedProgram, runnerOf } from "./runners.ts"
import { programName, type ShellWord } from "./shell-word.ts"
import { isWrapper } from "./wrappers.ts"

/** Beside those that the tables have, and those whose operands are data. */
const others = new Set(
  names(`
    echo nproc printenv locale uptime free groups users who w last lsblk lscpu lspci lsusb getconf expr factor rev
    tsort numfmt b2sum sum zcat gzip gunzip ping dig host nslookup bc python pypy exit return break
    continue shift umask ulimit times dirs bg fg disown suspend logout
  `),
)

/** Another folder's program of that name is another program. */
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

/** The words of which one names what a runner runs, that word last: one behind an option may be its value. */
const ranWords = (words: ReadonlyArray<ShellWord>, from: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = from; at < words.length; at += 1) {
    const { text } = words[at]!
    const before = at === from ? "" : words[at - 1]!.text
    if (/^-|^[A-Za-z_]\w*=/.test(text)) continue
    found.push(at)
    if (before === "--" || !/^-[^=]*$/.test(before)) break
  }
  return found
}

/** What a project is checked with, or the version of a language, which names no program. */
const namesChecker = (word: ShellWord): boolean =>
  word.literal && (/^\d+(\.\d+)*$/.test(word.text) || isChecker(word.text.replace(/@[\d.^~]+$/, "")))

/** `yarn lint` runs a script of the project, or what it has installed, as `npm run lint` does. */
const runsOwn = (words: ReadonlyArray<ShellWord>): boolean =>
  programName(words[0]!.text) === "yarn" && !words.some(({ text }) => /^(exec|dlx|create)$/.test(text))

/** The word with which a command names what it runs, where that may be any program. */
export const ranWord = (words: ReadonlyArray<ShellWord>): number | undefined => {
  const runner = runnerOf(words)
  return runner?.any !== true || runsOwn(words) ? undefined : ranWords(words, runner.from).at(-1)
}

/** How many words of a command, from the first on, a rule has to match; what follows them is known. */
export const wordsToMatch = (words: ReadonlyArray<ShellWord>): number => {
  const runner = runnerOf(words)
  if (runner?.any !== true || runsOwn(words)) return isKnown(words[0]!.text) ? 1 : words.length
  const ran = ranWords(words, runner.from)
  // Without a program `npm exec` opens a shell.
  const isShell = ran.length === 0 && words[1]?.text === "exec"
  const isKnownRunner = runner.from === 1 || isKnown(words[0]!.text)
  if (isKnownRunner && !isShell && ran.every((at) => namesChecker(words[at]!))) return 1
  const last = ran.at(-1)
  return last !== undefined && isKnownName(namedProgram(words[last]!)) ? last + 1 : words.length
}
