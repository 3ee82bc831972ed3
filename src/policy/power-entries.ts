/**
 * Finds the entries of the tables for a command, and the words that each entry applies to: those of the program, and of the
 * program that it runs.
 */
import { argumentKinds } from "./arguments.ts"
import { names } from "./names.ts"
import { findOption, noOptions, OptionNames, type Spelling } from "./option-spelling.ts"
import type { PowerOptions, PowerTable } from "./power-table.ts"
import { buildOptions } from "./power-table-builds.ts"
import { checkerOptions } from "./power-table-checkers.ts"
import { containerOptions } from "./power-table-containers.ts"
import { databaseOptions } from "./power-table-databases.ts"
import { developmentOptions } from "./power-table-development.ts"
import { fileOptions } from "./power-table-files.ts"
import { gitOptions } from "./power-table-git.ts"
import { networkOptions } from "./power-table-network.ts"
import { packageOptions } from "./power-table-packages.ts"
import { systemOptions } from "./power-table-system.ts"
import { namedProgram, runnerOf } from "./runners.ts"
import type { ShellWord } from "./shell-word.ts"

/** An entry of the tables, compiled. */
export interface Entry extends Pick<PowerOptions, "words" | "pairs" | "output" | "behind" | "scripts"> {
  readonly spelling: Spelling
  readonly wanted: OptionNames
  /** Includes those of the entries above it: `git` is above `git diff`. */
  readonly valued: OptionNames
  readonly harmless: OptionNames
  readonly discards: OptionNames
  readonly writes: OptionNames
  readonly reads: OptionNames
  readonly script: OptionNames
  readonly promises: OptionNames | undefined
  readonly passes: ReadonlyArray<string>
  readonly subcommands: ReadonlyArray<string>
}

/** An entry, and the position of the words that it applies to. */
export interface PlacedEntry {
  readonly entry: Entry
  readonly from: number
  readonly to?: number | undefined
}

const tables: ReadonlyArray<PowerTable> = [
  fileOptions,
  gitOptions,
  networkOptions,
  developmentOptions,
  buildOptions,
  packageOptions,
  checkerOptions,
  containerOptions,
  systemOptions,
  databaseOptions,
]

interface Row {
  readonly subcommands: ReadonlyArray<string>
  readonly options: PowerOptions
}

const readRows = (): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const rows = new Map<string, Array<Row>>()
  for (const [key, options] of tables.flatMap((table) => Object.entries(table))) {
    for (const name of key.split("|")) {
      const [program, ...subcommands] = name.split(" ")
      rows.set(program!, [...(rows.get(program!) ?? []), { subcommands, options }])
    }
  }
  return rows
}

let rows: ReadonlyMap<string, ReadonlyArray<Row>> | undefined

/** The rows of all tables by program, read for the first command. */
const rowsByProgram = (): ReadonlyMap<string, ReadonlyArray<Row>> => {
  rows ??= readRows()
  return rows
}

const checkers = new Set(["tsc", ...Object.keys(checkerOptions).flatMap((key) => key.split("|"))])

/** Whether a program checks or tests a project and its dangerous options are in the tables. */
export const isChecker = (program: string): boolean => checkers.has(program)

/** Whether the tables contain a program. */
export const hasEntries = (program: string): boolean => rowsByProgram().has(program)

const isAbove = (above: ReadonlyArray<string>, below: ReadonlyArray<string>): boolean =>
  above.length <= below.length && above.every((name, at) => name === "*" || name === below[at])

const entryOf = (row: Row, among: ReadonlyArray<Row>): Entry => {
  const { options, subcommands } = row
  // `git -C x` and `git diff -C`: an option may mean something different before a subcommand than after it.
  const valued = among
    .filter((each) => each === row || each.options.behind !== "another's")
    .filter((each) => isAbove(each.subcommands, subcommands))
    .map((each) => each.options.valued ?? "")
  return {
    words: options.words,
    pairs: options.pairs,
    output: options.output,
    behind: options.behind,
    scripts: options.scripts,
    spelling: options.spelling ?? "getopt",
    wanted: new OptionNames(options.options),
    valued: new OptionNames(valued.join(" ")),
    harmless: new OptionNames(options.harmless),
    discards: new OptionNames(options.discards),
    writes: new OptionNames(options.writes),
    reads: new OptionNames(options.reads),
    script: new OptionNames(options.scripts?.options),
    promises: options.promises === undefined ? undefined : new OptionNames(options.promises),
    passes: options.passes === undefined ? [] : names(options.passes),
    subcommands,
  }
}

const entries = new Map<string, ReadonlyArray<Entry>>()

/** The entries of a program and its subcommands, compiled when they are first needed. */
const entriesOf = (program: string): ReadonlyArray<Entry> => {
  const among = rowsByProgram().get(program)
  if (among === undefined) return []
  const known = entries.get(program) ?? among.map((row) => entryOf(row, among))
  entries.set(program, known)
  return known
}

/** How many words are searched for a subcommand. */
const maxFront = 64

/** The end of the subcommands of an entry; `open` if one of them is known only when the line runs. */
const endOfSubcommands = (
  words: ReadonlyArray<ShellWord>,
  start: number,
  { subcommands, spelling, wanted, valued }: Entry,
): number | "open" | undefined => {
  let from = start
  for (const subcommand of subcommands) {
    const front = words.slice(from, from + maxFront)
    const kinds = argumentKinds(front, { spelling, wanted, valued })
    // A word after an option may be the option's value.
    const last = kinds.findIndex((kind, at) => kind === "operand" && kinds[at - 1] !== "option")
    const candidates = last < 0 ? front : front.slice(0, last + 1)
    const found = candidates.findIndex(
      ({ text, literal }, at) =>
        kinds[at] === "operand" && (!literal || subcommand === "*" || text === subcommand),
    )
    if (found < 0) return last < 0 && words.length > from + maxFront ? "open" : undefined
    if (!candidates[found]!.literal) return "open"
    from += found + 1
  }
  return from
}

/** Whether the program's own words, not those of the program that it runs, contain an option of `promises`. */
const isPromised = (entry: Entry, words: ReadonlyArray<ShellWord>): boolean => {
  const { promises, spelling, valued } = entry
  if (promises === undefined) return true
  // Nothing is `wanted` here, so that the word after such an option counts as its value.
  const kinds = argumentKinds(words, { ...entry, wanted: noOptions })
  return words.some(
    ({ text }, at) => kinds[at] === "option" && findOption(text, spelling, promises, valued) !== undefined,
  )
}

export interface Placed {
  readonly entries: ReadonlyArray<PlacedEntry>
  /** Whether the subcommand cannot be determined. */
  readonly open: boolean
}

/** The entries for a program whose arguments begin at `start`. */
export const placedEntries = (program: string, words: ReadonlyArray<ShellWord>, start: number): Placed => {
  const ends = entriesOf(program).map((entry) => ({
    entry,
    from: endOfSubcommands(words, start, entry),
  }))
  const placed = ends.filter(
    (end): end is PlacedEntry => typeof end.from === "number" && isPromised(end.entry, words.slice(end.from)),
  )
  const passed = placed.flatMap(({ entry, from }) => {
    const mark = words.findIndex(({ text }, at) => at >= from && text === "--")
    return entry.passes.flatMap((name) =>
      entriesOf(name)
        .filter(({ subcommands }) => subcommands.length === 0)
        .map((passing) => ({ entry: passing, from: mark < 0 ? from : mark + 1 })),
    )
  })
  // Only the entry of a subcommand knows which options before it take a value.
  const deepest = placed.reduce<Entry | undefined>(
    (deep, { entry }) => (entry.subcommands.length >= (deep?.subcommands.length ?? 0) ? entry : deep),
    undefined,
  )
  const own = placed.map(({ entry, from }) => {
    const next = placed.find((other) => other.from > from)
    const to = entry.behind === "another's" ? next?.from : undefined
    return { entry: to === undefined ? { ...entry, valued: deepest!.valued } : entry, from, to }
  })
  return { entries: [...own, ...passed], open: ends.some(({ from }) => from === "open") }
}

/** A runner with more candidates is not analyzed. */
const maxRan = 8

export interface RanProgram {
  readonly program: string
  /** The position of its first argument. */
  readonly start: number
}

/**
 * The programs that a runner may run: any following word that the tables contain, because some words may be values of options.
 * Undefined if there are too many.
 */
export const ranPrograms = (words: ReadonlyArray<ShellWord>): ReadonlyArray<RanProgram> | undefined => {
  const from = runnerOf(words)?.from ?? words.length
  const found = words.flatMap((word, at) => {
    const program = at < from ? "" : namedProgram(word)
    return hasEntries(program) ? [{ program, start: at + 1 }] : []
  })
  return found.length > maxRan ? undefined : found
}
