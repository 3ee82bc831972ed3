/**
 * Reads an option as its command does, by one of `spellings`. In every spelling, case, hyphens and underscores do not distinguish
 * long options: `--outputFile`, `--output-file` and `--OUTPUT_FILE` are the same. Accepting more than the command does only leads
 * to more questions.
 */
import { names } from "./names.ts"

interface SpellingTraits {
  /** Whether any prefix of a long option means the option. */
  readonly abbreviates?: true
  /** Whether a long option may also have one dash. */
  readonly oneDash?: true
  /** Whether several letters may follow one dash, the last one with its value. */
  readonly bundles?: true
  /** Whether the first word may consist of such letters without a dash. */
  readonly bareBundle?: true
}

const spellings = {
  /** GNU getopt_long, argparse, optparse, git. */
  getopt: { abbreviates: true, bundles: true },
  /** yargs, cac, clap, cobra, popt, commander: long options are written in full. */
  whole: { bundles: true },
  /** go, java, tsc, terraform, find: one dash or two, no bundles. */
  "one dash": { oneDash: true },
  /** nopt, commons-cli: one dash or two, abbreviated, and bundles too. */
  "any dashes": { abbreviates: true, oneDash: true, bundles: true },
  tar: { abbreviates: true, bundles: true, bareBundle: true },
} as const satisfies Readonly<Record<string, SpellingTraits>>

/** How a family of commands spells options. */
export type Spelling = keyof typeof spellings

const traitsOf = (spelling: Spelling): SpellingTraits => spellings[spelling]

/** Ignores case, hyphens and underscores, except in single letters, which differ by case. */
const folded = (name: string): string =>
  name.length === 1 ? name : name.replace(/(?<=.)[-_](?=.)/g, "").toLowerCase()

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

/**
 * Options and subcommands as written: `-o`, `--output`, `-delete`, `add`. `…*` means every word that begins like this,
 * `--coverage.` all names below `--coverage`, and `-C?` a letter whose value, if any, follows in the same word.
 */
export class OptionNames {
  readonly letters: string
  /** Words that are matched by their prefix, and subcommands. */
  readonly forms: RegExp | undefined
  private readonly attached: string
  private readonly long: ReadonlyArray<string>

  constructor(text = "") {
    const words = text.trim() === "" ? [] : names(text)
    const optional = words.filter((word) => /^-[^-*]\?$/.test(word))
    this.attached = optional.map((word) => word[1]).join("")
    this.letters = words.flatMap((word) => /^-([^-*?])$/.exec(word)?.[1] ?? []).join("")
    this.long = words
      .filter((word) => /^--?[^-*?][^*?]+$/.test(word))
      .map((word) => folded(word.replace(/^--?/, "")))
    const forms = words.flatMap((word) => {
      if (word.endsWith("*")) return [escaped(word.slice(0, -1))]
      return word.startsWith("-") ? [] : [`${escaped(word)}$`]
    })
    this.forms = forms.length === 0 ? undefined : new RegExp(`^(?:${forms.join("|")})`)
  }

  /** Whether a long option, given without dashes and value, is one of these. */
  hasLong(written: string, abbreviates = false): boolean {
    const name = folded(written)
    return (
      name !== "" &&
      this.long.some(
        (long) =>
          name === long ||
          name.startsWith(`${long}.`) ||
          (long.endsWith(".") && name.startsWith(long)) ||
          (abbreviates && long.startsWith(name)),
      )
    )
  }

  /** Whether the rest of the word is the letter's value. */
  takesRest(letter: string): boolean {
    return this.letters.includes(letter) || this.attached.includes(letter)
  }
}

export const noOptions = new OptionNames()

/** Whether a word is one of these long options, written in full. */
export const isWrittenOut = (word: string, options: OptionNames): boolean =>
  word.startsWith("--") && options.hasLong(longName(word).name)

export interface FoundOption {
  /** The position of its letter in the word; undefined for a long option. */
  readonly letterAt: number | undefined
  /** The value that follows in the same word. */
  readonly value: string | undefined
}

const findLetter = (
  word: string,
  from: number,
  wanted: OptionNames,
  valued: OptionNames,
): FoundOption | undefined => {
  for (let at = from; at < word.length; at += 1) {
    const letter = word[at]!
    if (wanted.letters.includes(letter)) {
      return { letterAt: at, value: at + 1 < word.length ? word.slice(at + 1) : undefined }
    }
    if (from > 0 && valued.takesRest(letter)) return undefined
  }
  return undefined
}

const longName = (word: string): { readonly name: string; readonly value: string | undefined } => {
  const [dashes] = /^--?/.exec(word) ?? [""]
  const equals = word.indexOf("=")
  if (equals < 0) return { name: word.slice(dashes.length), value: undefined }
  return { name: word.slice(dashes.length, equals), value: word.slice(equals + 1) }
}

/** The first of the wanted options in a word. */
export const findOption = (
  word: string,
  spelling: Spelling,
  wanted: OptionNames,
  valued: OptionNames,
): FoundOption | undefined => {
  if (!word.startsWith("-")) return undefined
  const { abbreviates = false, oneDash = false, bundles = false } = traitsOf(spelling)
  const { name, value } = longName(word)
  const isLong = word.startsWith("--")
  // Programs that bundle letters read a long option with one dash as letters. A person may mean the long one, so this is asked
  // too.
  if (isLong || name.length > 1) {
    if (wanted.hasLong(name, abbreviates && (isLong || oneDash))) return { letterAt: undefined, value }
    if (isLong) {
      const isLetter = oneDash && name.length === 1 && wanted.letters.includes(name)
      return isLetter ? { letterAt: 2, value } : undefined
    }
  }
  if (bundles) return findLetter(word, 1, wanted, valued)
  return name.length === 1 && wanted.letters.includes(name) ? { letterAt: 1, value } : undefined
}

/** The first of the wanted options in a first word without a dash. */
export const findBareOption = (
  word: string,
  spelling: Spelling,
  wanted: OptionNames,
): FoundOption | undefined =>
  traitsOf(spelling).bareBundle === true ? findLetter(word, 0, wanted, wanted) : undefined

/** Whether the next word is the value of the option that ends this word. */
export const takesNext = (
  word: string,
  spelling: Spelling,
  wanted: OptionNames,
  valued: OptionNames,
): boolean => {
  const { name, value } = longName(word)
  if (name.length > 1 && valued.hasLong(name)) return value === undefined
  if (word.startsWith("--")) return false
  if (traitsOf(spelling).bundles !== true) return valued.letters.includes(name) && name.length === 1
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at]!
    // The word after a wanted option may be that option's value.
    if (wanted.letters.includes(letter)) return false
    if (valued.takesRest(letter)) return at === word.length - 1 && valued.letters.includes(letter)
  }
  return false
}

/** Whether `--` ends the options. */
export const hasEndMark = (spelling: Spelling): boolean => spelling !== "one dash"

const restraints = names("dryrun justprint recon simulate noact noemit ignorescripts spider check sandbox")
const offValue = /^(false|no|none|off|0)$/i
/** Values after `=` that turn an option off, and that cannot be a file. */
const attachedOffValue = /^(false|f|null|no|n|none|off|0+|without|disable)$/i

/** Whether a word revokes an option such as `--dry-run`: `--no-dry-run`, `--dry-run=none`, `--noEmit false`. */
export const liftsRestraint = (word: string, next: string | undefined): boolean => {
  if (!word.startsWith("-")) return false
  const { name: written, value } = longName(word)
  const name = written.replace(/^-+/, "")
  // A few letters after one dash may mean something else.
  const isAbbreviated = word.startsWith("--") || name.length > 3
  const isRestraint = restraints.some((long) =>
    isAbbreviated ? long.startsWith(folded(name)) : long === folded(name),
  )
  const isOff = value === undefined ? offValue.test(next ?? "") : attachedOffValue.test(value)
  if (name !== "" && isRestraint && isOff) return true
  const negated = isAbbreviated ? /^(?:no[-_])+(.+)$/.exec(name)?.[1] : undefined
  return negated !== undefined && ["n", ...restraints].some((long) => long.startsWith(folded(negated)))
}

const maxName = 64

/** The positions of options that negate an earlier option or its abbreviation: `--list … --no-list`. */
export const negatedAt = (words: ReadonlyArray<string>): ReadonlySet<number> => {
  const seen = { on: new Set<string>(), off: new Set<string>() }
  const found = new Set<number>()
  for (const [at, word] of words.entries()) {
    if (!word.startsWith("--")) continue
    const [, negations = "", rest = ""] = /^((?:no[-_])*)(.*)$/s.exec(longName(word).name)!
    const name = folded(rest)
    const isOn = (negations.length / "no-".length) % 2 === 0
    if (name === "" || name.length > maxName) continue
    if ((isOn ? seen.off : seen.on).has(name)) found.add(at)
    for (let end = 1; end <= name.length; end += 1) (isOn ? seen.on : seen.off).add(name.slice(0, end))
  }
  return found
}
