/**
 * Options that a deny rule names and a command writes otherwise: `rm -fr` and `rm -r x -f` where `rm -rf` is denied, and
 * `git push origin --force` where `git push --force` is. Of what only may be meant, a person is asked.
 */
import { optionsNamedBy } from "./abbreviated-options.ts"
import type { BoundedPattern, Matching } from "./bounded-pattern.ts"
import { bareName } from "./command-shape.ts"
import { perPattern } from "./per-pattern.ts"
import type { ShellWord } from "./shell-word.ts"

/** More than anybody writes into one rule. */
const maxBundles = 32
const maxWritten = 64
/** How many operands may stand in front: subcommands. */
const maxOperands = 2

/** Whether they may be options of a letter each: in a word such as `-exec` or `-delete`, one comes twice. */
const isBundle = (letters: string): boolean => new Set(letters).size === letters.length

/** The letters of the short options that a pattern names. */
const bundlesNamedBy = perPattern((pattern): ReadonlyArray<string> => {
  const written = pattern.replace(/\\[A-Za-z][*+]?/g, " ")
  return [...written.matchAll(/(?<![\w-])-([A-Za-z]+)(?![\w-])/g)]
    .map(([, letters]) => letters!)
    .filter(isBundle)
    .slice(0, maxBundles)
})

/**
 * The letters that a command gives; of a long option, the one that it may go by. Not where the pattern has a long option for
 * that letter: beside `(-f|--force)`, `--follow-tags` is none of them.
 */
const lettersOf = (options: ReadonlyArray<string>, long: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    options.flatMap((text) => {
      if (!text.startsWith("--")) return [...text.slice(1)]
      return long.some((name) => name.startsWith(text.slice(0, 3))) ? [] : [text.charAt(2)]
    }),
  )

/** Whether a pattern matches a command once an option of it is written, and stands, as the pattern has it. */
export const matchesMovedOption = (
  regex: BoundedPattern,
  words: ReadonlyArray<ShellWord>,
  matching: Matching,
): boolean => {
  const texts = words.map(({ text }) => text)
  const end = texts.indexOf("--")
  const options = texts.slice(1, end < 0 ? undefined : end).filter((text) => /^-./.test(text))
  if (options.length === 0) return false
  const long = optionsNamedBy(regex).map((name) => `--${name}`)
  const letters = lettersOf(options, long)
  const same = options.filter((text) => long.includes(text.replace(/=.*/s, "")))
  const bundled = bundlesNamedBy(regex)
    .filter((bundle) => [...bundle].every((letter) => letters.has(letter)))
    .map((bundle) => `-${bundle}`)
  const written = [...new Set([...bundled, ...same])].slice(0, maxWritten)
  if (written.length === 0) return false
  const program = bareName(texts[0]!)
  const operands = texts.slice(1).filter((text) => !text.startsWith("-"))
  return written.some((option) =>
    Array.from({ length: Math.min(maxOperands, operands.length) + 1 }, (_, count) => count).some((count) => {
      const line = [program, ...operands.slice(0, count), option, ...operands.slice(count)].join(" ")
      return matching.match(regex, line) !== undefined
    }),
  )
}
