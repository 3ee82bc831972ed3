/** A diff in pi's format: each line with its sign and its number, ` ...` for omitted lines. */
import { maxEditLength } from "../../../handlers/unified-diff.ts"

export interface NumberedDiff {
  readonly diff: string
  /** Line number in the new text, from 1; absent if nothing changed. */
  readonly firstChangedLine?: number
}

const firstDifference = (before: string, after: string): number => {
  const lines = before.split("\n")
  return after.split("\n").findIndex((line, index) => line !== lines[index]) + 1
}

/**
 * Makes the diff, and a unified one as `patch`, which is empty if the texts differ too much to be compared in time. Both texts
 * must have LF endings. `library`: given by the caller, because loading it takes longer than everything else here.
 */
export const numberedDiff = (
  { structuredPatch, formatPatch, FILE_HEADERS_ONLY }: typeof import("diff"),
  path: string,
  before: string,
  after: string,
  context = 4,
): NumberedDiff & { readonly patch: string } => {
  const options = { context, maxEditLength }
  const patch = structuredPatch(path, path, before, after, undefined, undefined, options)
  if (patch === undefined) {
    return {
      diff: "(too many changes to show)",
      firstChangedLine: firstDifference(before, after),
      patch: "",
    }
  }
  const total = before.split("\n").length
  const width = String(Math.max(total, after.split("\n").length)).length
  const gap = ` ${" ".repeat(width)} ...`
  const rows: Array<string> = []
  let firstChangedLine: number | undefined
  let last = 0
  for (const { oldStart, newStart, lines } of patch.hunks) {
    let oldLine = oldStart
    let newLine = newStart
    if (oldStart > last + 1) rows.push(gap)
    for (const line of lines) {
      const sign = line[0]
      if (sign === "\\") continue
      if (sign !== " ") firstChangedLine ??= newLine
      rows.push(`${sign}${String(sign === "+" ? newLine : oldLine).padStart(width)} ${line.slice(1)}`)
      if (sign !== "+") oldLine++
      if (sign !== "-") newLine++
    }
    last = oldLine - 1
  }
  const lastLine = before.endsWith("\n") ? total - 1 : total
  if (rows.length > 0 && last < lastLine) rows.push(gap)
  return {
    diff: rows.join("\n"),
    ...(firstChangedLine !== undefined && { firstChangedLine }),
    patch: formatPatch(patch, FILE_HEADERS_ONLY),
  }
}
