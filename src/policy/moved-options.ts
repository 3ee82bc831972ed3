/**
 * Options that a deny rule names and a command spells or places differently: `rm -fr` and `rm -r x -f` for `rm -rf`, and
 * `git push origin --force` for `git push --force`. A match only asks.
 */
import { optionsNamedBy } from "./abbreviated-options.ts"
import type { BoundedPattern, Matching } from "./bounded-pattern.ts"
import { bareName } from "./command-shape.ts"
import { perPattern } from "./per-pattern.ts"
import type { ShellWord } from "./shell-word.ts"

/** More options than any rule should contain. */
const maxBundles = 32
const maxWritten = 64
/** How many operands, which may be subcommands, may precede the option. */
const maxOperands = 2

/** Whether each letter may be an option: in a word such as `-exec` or `-delete`, a letter occurs twice. */
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
 * The short options of a command, and the first letters of its long ones, which may be the same options; except if the pattern
 * names a long option with that letter: with `(-f|--force)`, `--follow-tags` is not `-f`.
 */
const lettersOf = (options: ReadonlyArray<string>, long: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    options.flatMap((text) => {
      if (!text.startsWith("--")) return [...text.slice(1)]
      return long.some((name) => name.startsWith(text.slice(0, 3))) ? [] : [text.charAt(2)]
    }),
  )

/** Whether a pattern matches a command with one option spelled and placed as in the pattern. */
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
