/** Finds code by its structure, and outputs the lines. It changes nothing. */

import type { EffectHandler } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import { textOutput } from "../output/output.ts"
import { type Match, matchesOf, mayMatch } from "../structural/match.ts"
import { compilePattern } from "../structural/pattern.ts"
import { plural } from "../text/plural.ts"
import {
  BoundedSections,
  countMatches,
  detailsOf,
  type FileMatches,
  omissions,
  searchedLine,
  shortCode,
} from "./structural-report.ts"
import {
  localStructure,
  type ScanOptions,
  type Structure,
  scan,
  structuralHandler,
} from "./structural-scan.ts"

/** What a structural search looks for, and where. */
export interface SearchOptions extends ScanOptions {
  /** A piece of code; `$X` matches one node, `$$$X` any number. */
  readonly pattern: string
}

/** Limits for one match, and for one line. */
const maxLines = 10
const maxLineLength = 300

const shownLine = (number: number, line: string): string => {
  const text = line.replace(/\r$/, "")
  const cut = text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text
  return `${String(number).padStart(4)}│${cut}\n`
}

const lineBreaks = (text: string): number => text.split("\n").length - 1

/** The lines with matches, each once. Matches are ordered by their start. */
const linesOf = (text: string, matches: ReadonlyArray<Match>): string => {
  const lines = text.split("\n")
  let result = ""
  let first = 0
  let offset = 0
  let next = 0
  for (const { start, end } of matches) {
    while (offset + lines[first]!.length < start) {
      offset += lines[first]!.length + 1
      first += 1
    }
    const last = first + lineBreaks(text.slice(start, end))
    const until = Math.min(last + 1, first + maxLines)
    if (until <= next) continue
    for (next = Math.max(next, first); next < until; next++) result += shownLine(next + 1, lines[next]!)
    if (until <= last) result += "    │…\n"
  }
  return result
}

/** Outputs the matches with their lines as `   1│text`, by file; cut after 50,000 bytes, with a note. */
export const SearchStructure = (
  { pattern, paths, lang }: SearchOptions,
  structure: Structure = localStructure,
): EffectHandler =>
  structuralHandler("SearchStructure", async (context, signal) => {
    const found: Array<FileMatches> = []
    const lines = new BoundedSections()
    const report = await scan(structure, context, signal, {
      paths,
      lang,
      compile: (grammar) => compilePattern(grammar, pattern),
      visit: async ({ text }, grammar, compiled) => {
        if (!mayMatch(text, compiled)) return undefined
        const matches = matchesOf(text, await grammar.parse(text), compiled)
        return matches.length === 0 ? undefined : { matches: matches.length, lines: linesOf(text, matches) }
      },
      take: ({ path }, _source, { matches, lines: shown }) => {
        found.push({ path, matches })
        lines.add(`\n${path}: ${countMatches(matches)}\n${shown}`)
      },
    })
    const details = detailsOf(found)
    const head =
      found.length === 0
        ? [
            `No matches of ${shortCode(pattern)}.`,
            searchedLine(report),
            "The pattern must be one complete piece of code, as it stands in a file; $X stands for one node, $$$X for any number.",
          ]
        : [`${countMatches(details.totalMatches)} in ${plural(found.length, "file")}.`, searchedLine(report)]
    const text = `${[head.join(" "), ...omissions(report)].join("\n")}\n`
    return Step.Output({ ...textOutput((text + lines.below(text, "files")).trimEnd()), details })
  })
