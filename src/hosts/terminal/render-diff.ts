/** A unified diff, told apart from other text and coloured line by line. */
import { wrap } from "./columns.ts"
import { plainLines } from "./render-text.ts"
import type { Style } from "./style.ts"

const hunkHeader = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m

/** Whether the text is a unified diff: it has a hunk, and nothing stands before it but what diffs begin with. */
export const isUnifiedDiff = (text: string): boolean => {
  const hunk = hunkHeader.exec(text)
  return hunk !== null && (hunk.index === 0 || /^(?:--- |diff |Index: )/.test(text))
}

/** The diff that an output's details carry as `diff`, if they do. */
export const diffOf = (details: unknown): string | undefined => {
  if (typeof details !== "object" || details === null) return undefined
  const { diff } = details as { diff?: unknown }
  return typeof diff === "string" && diff !== "" ? diff : undefined
}

export const noHunkNote = "The text stays the same; at most its line endings change."

/** Names and no hunk: what edit_file gives where the text stays as it is, but for CRLF and LF. */
export const hasNoHunk = (diff: string): boolean => /^--- .*\n\+\+\+ .*\n?$/.test(diff)

/** How a line of a diff is coloured, in all of its parts. */
export const paintDiffLine = (line: string, style: Style): ((part: string) => string) => {
  if (line.startsWith("+")) return style.good
  if (line.startsWith("-")) return style.bad
  return line.startsWith("@@") ? style.busy : style.dim
}

/** The lines that name a diff's one file are left out: the block's header names it already. */
export const renderDiff = (diff: string, width: number, style: Style): Array<string> => {
  if (hasNoHunk(diff)) return wrap(noHunkNote, width).map(style.dim)
  const names = diff.match(/^(?:\+\+\+ )/gm)?.length ?? 0
  const hunk = names <= 1 ? diff.search(hunkHeader) : 0
  return plainLines(diff.slice(Math.max(0, hunk))).flatMap((line) =>
    wrap(line, width).map(paintDiffLine(line, style)),
  )
}
