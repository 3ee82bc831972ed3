/** A diff as pi shows it: each line with its sign and its number, ` ...` for what is left out. */
import { maxEditLength } from "../../../handlers/unified-diff.ts"

export interface NumberedDiff {
  readonly diff: string
  /** In the new text, from 1; undefined where nothing changed. */
  readonly firstChangedLine: number | undefined
}

/** Both texts have LF endings. */
export const numberedDiff = async (before: string, after: string): Promise<NumberedDiff> =>
  // Loaded when needed: it takes longer than all else here.
  numberedDiffOf(await import("diff"), before, after)

export const numberedDiffOf = (
  { structuredPatch }: typeof import("diff"),
  before: string,
  after: string,
  context = 4,
): NumberedDiff => {
  const patch = structuredPatch("", "", before, after, undefined, undefined, { context, maxEditLength })
  const total = before.split("\n").length
  const width = String(Math.max(total, after.split("\n").length)).length
  const gap = ` ${" ".repeat(width)} ...`
  const rows: Array<string> = []
  let firstChangedLine: number | undefined
  let shown = 0
  for (const { oldStart, newStart, lines } of patch?.hunks ?? []) {
    let oldLine = oldStart
    let newLine = newStart
    if (oldStart > shown + 1) rows.push(gap)
    for (const line of lines) {
      const sign = line[0]
      if (sign === "\\") continue
      if (sign !== " ") firstChangedLine ??= newLine
      rows.push(`${sign}${String(sign === "+" ? newLine : oldLine).padStart(width)} ${line.slice(1)}`)
      if (sign !== "+") oldLine++
      if (sign !== "-") newLine++
    }
    shown = oldLine - 1
  }
  if (patch === undefined)
    return { diff: "(too many changes to show)", firstChangedLine: firstDifference(before, after) }
  const lastLine = before.endsWith("\n") ? total - 1 : total
  if (rows.length > 0 && shown < lastLine) rows.push(gap)
  return { diff: rows.join("\n"), firstChangedLine }
}

const firstDifference = (before: string, after: string): number => {
  const lines = before.split("\n")
  return after.split("\n").findIndex((line, index) => line !== lines[index]) + 1
}
