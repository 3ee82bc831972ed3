/** Detects a unified diff, and colours it line by line. */
import { wrap } from "./columns.ts"
import { plainLines } from "./render-text.ts"
import type { Style } from "./style.ts"

const hunkHeader = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m

/** Whether the text is a unified diff: it has a hunk, and before it only lines that begin diffs. */
export const isUnifiedDiff = (text: string): boolean => {
  const hunk = hunkHeader.exec(text)
  return hunk !== null && (hunk.index === 0 || /^(?:--- |diff |Index: )/.test(text))
}

/** The diff in an output's details, if there is one. */
export const diffOf = (details: unknown): string | undefined => {
  if (typeof details !== "object" || details === null) return undefined
  const { diff } = details as { diff?: unknown }
  return typeof diff === "string" && diff !== "" ? diff : undefined
}

export const noHunkNote = "The text stays the same; at most its line endings change."

/** A diff without a hunk: edit_file returns one if only line ends change. */
export const hasNoHunk = (diff: string): boolean => /^--- .*\n\+\+\+ .*\n?$/.test(diff)

/** How a line of a diff is coloured, in all of its parts. */
export const paintDiffLine = (line: string, style: Style): ((part: string) => string) => {
  if (line.startsWith("+")) return style.good
  if (line.startsWith("-")) return style.bad
  return line.startsWith("@@") ? style.busy : style.dim
}

/** Renders a diff, without the lines that name its only file, which the block's header names. */
export const renderDiff = (diff: string, width: number, style: Style): Array<string> => {
  if (hasNoHunk(diff)) return wrap(noHunkNote, width).map(style.dim)
  const names = diff.match(/^(?:\+\+\+ )/gm)?.length ?? 0
  const hunk = names <= 1 ? diff.search(hunkHeader) : 0
  return plainLines(diff.slice(Math.max(0, hunk))).flatMap((line) =>
    wrap(line, width).map(paintDiffLine(line, style)),
  )
}
