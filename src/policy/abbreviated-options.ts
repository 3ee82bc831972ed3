/**
 * Long options that a deny rule names in full and a command abbreviates: `--del` for `--delete`. Many programs accept that. Others
 * do not, or have another option of that name, so a match only leads to a question.
 */
import type { BoundedPattern, Matching } from "./bounded-pattern.ts"
import { perPattern } from "./per-pattern.ts"
import type { ShellWord } from "./shell-word.ts"

/** More options than any rule should contain. */
const maxOptions = 32

const groups = /--(?:\(\??:?)?([A-Za-z][^)\s]*)/g
/** The separators that a pattern may have between the words of an option's name. */
const between = /\\?-\??|\[[-_]+\]\??/g

/** The long options that a pattern names, without dashes; also those in a group, such as `--(force|mirror)`. */
export const optionsNamedBy = perPattern((pattern): ReadonlyArray<string> => {
  const found = [...pattern.matchAll(groups)].flatMap(([, named = ""]) =>
    named.split("|").flatMap((text) => {
      const [name = ""] = /^[A-Za-z][\w-]*/.exec(text.replace(between, "-")) ?? []
      return name.length > 1 ? [name] : []
    }),
  )
  return [...new Set(found)].slice(0, maxOptions)
})

/** Whether a pattern matches a command in which one abbreviated option is written in full. */
export const matchesWrittenOut = (
  regex: BoundedPattern,
  words: ReadonlyArray<ShellWord>,
  matching: Matching,
): boolean => {
  const options = optionsNamedBy(regex)
  if (options.length === 0) return false
  const end = words.findIndex(({ text }) => text === "--")
  return words.slice(0, end < 0 ? words.length : end).some(({ text }, at) => {
    const [, beginning] = /^--([A-Za-z][\w-]*)/.exec(text) ?? []
    if (beginning === undefined) return false
    return options.some((option) => {
      if (option === beginning || !option.startsWith(beginning)) return false
      const whole = `--${option}${text.slice(2 + beginning.length)}`
      const line = words.map((word, index) => (index === at ? whole : word.text)).join(" ")
      return matching.match(regex, line) !== undefined
    })
  })
}
