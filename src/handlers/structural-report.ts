/** Describes the results of a structural search or edit. Every text is bounded. */

import { plural } from "../text/plural.ts"
import { headOf, maxOutputBytes } from "../text/truncation.ts"
import { deniedSentence, type ScanReport } from "./structural-scan.ts"

/** The number of matches in a file. */
export interface FileMatches {
  readonly path: string
  readonly matches: number
}

/** The `details` of the handlers' outputs. */
export interface StructuralDetails {
  /** The first thousand files. */
  readonly files: ReadonlyArray<FileMatches>
  readonly totalFiles: number
  readonly totalMatches: number
}

const maxListedFiles = 1000
const maxNamed = 20
const maxPatternLength = 60

export const countMatches = (count: number): string => plural(count, "match", "matches")

export const detailsOf = (files: ReadonlyArray<FileMatches>): StructuralDetails => ({
  files: files.slice(0, maxListedFiles).map(({ path, matches }) => ({ path, matches })),
  totalFiles: files.length,
  totalMatches: files.reduce((sum, { matches }) => sum + matches, 0),
})

/** Puts code on one line, and shortens it. */
export const shortCode = (code: string): string => {
  const line = code.trim().replace(/\s+/g, " ")
  return line.length > maxPatternLength ? `${line.slice(0, maxPatternLength)}…` : line
}

/** Lists the first names, and counts the rest. */
export const named = (names: ReadonlyArray<string>): string =>
  names.length > maxNamed
    ? `${names.slice(0, maxNamed).join(", ")} and ${names.length - maxNamed} more`
    : names.join(", ")

/** `12 files searched: 10 typescript, 2 css.` */
export const searchedLine = ({ searched }: ScanReport): string => {
  const total = [...searched.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return "No file was searched."
  const languages = [...searched].map(([name, count]) => `${count} ${name}`).join(", ")
  return `${plural(total, "file")} searched: ${languages}.`
}

/** What was not searched, and why. */
export const omissions = ({ passedOver, leftOut, denied }: ScanReport): Array<string> => {
  const files = named(passedOver.map(({ path, reason }) => `${path} (${reason})`))
  return [
    ...leftOut,
    ...(passedOver.length === 0 ? [] : [`Passed over: ${files}.`]),
    ...(denied === 0 ? [] : [deniedSentence(denied)]),
  ]
}

export const changesOf = (files: ReadonlyArray<FileMatches>): string =>
  `${countMatches(detailsOf(files).totalMatches)} in ${plural(files.length, "file")}`

/** `a.ts: 2 matches, b.ts: 1 match.` */
export const fileLines = (files: ReadonlyArray<FileMatches>): string =>
  files.length === 0 ? "" : `${named(files.map(({ path, matches }) => `${path}: ${countMatches(matches)}`))}.`

/** Space for the sentence about omissions, and the one that the core adds to a preview. */
const noteBytes = 600

/** Sections of a text that can be very long: no more are kept than an output can hold. */
export class BoundedSections {
  private readonly kept: Array<string> = []
  private bytes = 0
  private total = 0

  get isFull(): boolean {
    return this.bytes > maxOutputBytes
  }

  add(section: string): void {
    this.total += 1
    if (this.isFull) return
    this.kept.push(section)
    this.bytes += Buffer.byteLength(section)
  }

  /** Returns what fits below `head` in an output. `what` names the sections, in the plural. */
  below(head: string, what: string): string {
    const room = maxOutputBytes - Buffer.byteLength(head) - noteBytes
    if (this.bytes <= room) return this.kept.join("")
    let shown = 0
    let left = room
    for (const section of this.kept) {
      left -= Buffer.byteLength(section)
      if (left < 0) break
      shown += 1
    }
    const text = headOf(this.kept.join(""), room)
    return `${text}\n[truncated: ${shown} of ${this.total} ${what} are shown, and a part of the next one]\n`
  }
}
