/** A unified diff of two texts, in bounded time. */
import { headOf, maxOutputBytes } from "../text/truncation.ts"

/** The shortest diff is computed up to this many added and removed lines; the cost grows with their square. */
export const maxEditLength = 1000

const linesOf = (text: string): Array<string> => text.match(/[^\n]*\n|[^\n]+/g) ?? []

const marked = (mark: string, lines: ReadonlyArray<string>): string =>
  lines
    .map((line) => (line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`))
    .join("")

const hunkRange = (start: number, { length }: ReadonlyArray<string>): string =>
  `${length === 0 ? start : start + 1},${length}`

/** A diff with one hunk: all lines between the common start and the common end. */
const blockDiff = (before: string, after: string): string => {
  const from = linesOf(before)
  const to = linesOf(after)
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && from[start] === to[start]) start++
  let end = 0
  while (end < shorter - start && from.at(-1 - end) === to.at(-1 - end)) end++
  const removed = from.slice(start, from.length - end)
  const added = to.slice(start, to.length - end)
  return `@@ -${hunkRange(start, removed)} +${hunkRange(start, added)} @@\n${marked("-", removed)}${marked("+", added)}`
}

/** Returns a unified diff, cut after 50,000 bytes with a note. */
export const unifiedDiff = async (path: string, before: string, after: string): Promise<string> => {
  // Loaded when needed: it takes longer than everything else that a tool loads.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff")
  const options = { context: 3, maxEditLength, headerOptions: FILE_HEADERS_ONLY }
  const diff =
    createTwoFilesPatch(path, path, before, after, undefined, undefined, options) ??
    `--- ${path}\n+++ ${path}\n${blockDiff(before, after)}`
  const bytes = Buffer.byteLength(diff)
  return bytes <= maxOutputBytes
    ? diff
    : `${headOf(diff, maxOutputBytes)}\n[truncated: the diff has ${bytes} bytes]\n`
}
