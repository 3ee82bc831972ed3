/**
 * Other names of the subcommands that a deny rule names: `npm i` for `npm install`, `npm publ` for `npm publish`. A match only
 * asks, because the name may belong to another subcommand.
 */
import type { BoundedPattern, Matching } from "./bounded-pattern.ts"
import { names } from "./names.ts"
import { perPattern } from "./per-pattern.ts"
import { programName, type ShellWord } from "./shell-word.ts"

/** Programs that accept any prefix of a subcommand. */
const abbreviating = new Set(names("npm hg chg gem bundle bundler gradle gradlew ip nmcli"))

const packages = `
  install/i/add/in/ins/inst/insta/instal/isnt/isnta/isntal/isntall uninstall/un/unlink/remove/rm/r run/run-script/rum/urn
  test/t/tst exec/x update/up/upgrade/udpate config/c link/ln rebuild/rb dist-tag/dist-tags owner/author version/verison
  install-test/it ci/clean-install/ic/install-clean/isntall-clean view/info/show/v search/s/se/find list/ls/la/ll
`

/** By program, groups of names for the same subcommand. */
const synonyms: ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>> = new Map(
  (
    [
      ["npm", packages],
      ["pnpm", packages],
      ["cargo", "build/b check/c run/r test/t doc/d remove/rm"],
      [
        "svn",
        "commit/ci checkout/co update/up delete/del/remove/rm switch/sw move/mv/rename/ren copy/cp propset/pset/ps",
      ],
    ] as const
  ).map(([program, groups]) => [program, names(groups).map((group) => group.split("/"))] as const),
)

/** Names of `npm ci` that a rule for `install` also matches: the rule does not mean `npm ci`, which is often allowed instead. */
const misleading = new Set(names("clean-install install-clean isntall-clean"))

/** How many operands may be subcommands. */
const maxOperands = 3
const maxNamed = 32

/** The words that a pattern contains in full. */
const namedBy = perPattern(
  (pattern): ReadonlyArray<string> =>
    [...new Set(pattern.replace(/\\[A-Za-z]/g, " ").match(/[a-z][a-z-]+/g))].slice(0, maxNamed),
)

const otherNames = (
  program: string,
  { text, literal }: ShellWord,
  regex: BoundedPattern,
): ReadonlyArray<string> => {
  if (!literal) return []
  const groups = synonyms.get(program) ?? []
  const same = groups.filter((group) => group.includes(text)).flat()
  // A synonym takes precedence over an abbreviation: `npm t` is `npm test`, and not `npm token`.
  const isBeginning = same.length === 0 && abbreviating.has(program)
  const begun = isBeginning ? namedBy(regex).filter((name) => name.startsWith(text)) : []
  return [...same, ...begun].filter((name) => name !== text && !misleading.has(name))
}

/** The possible positions of a subcommand. A known subcommand takes the following words, such as the script of `npm run`. */
const subcommandPlaces = (program: string, words: ReadonlyArray<ShellWord>): ReadonlyArray<number> => {
  const operands = words.flatMap(({ text }, at) => (at > 0 && !text.startsWith("-") ? [at] : []))
  const groups = synonyms.get(program) ?? []
  const known = operands.findIndex((at) => groups.some((group) => group.includes(words[at]!.text)))
  return operands.slice(0, known < 0 ? maxOperands : Math.min(known + 1, maxOperands))
}

/** Whether a pattern matches a command in which one subcommand is replaced by another of its names. */
export const matchesOtherName = (
  regex: BoundedPattern,
  words: ReadonlyArray<ShellWord>,
  matching: Matching,
): boolean => {
  const program = programName(words[0]?.text ?? "")
  if (!abbreviating.has(program) && !synonyms.has(program)) return false
  return subcommandPlaces(program, words).some((place) =>
    otherNames(program, words[place]!, regex).some((name) => {
      const line = words.map(({ text }, at) => (at === place ? name : text)).join(" ")
      return matching.match(regex, line) !== undefined
    }),
  )
}
