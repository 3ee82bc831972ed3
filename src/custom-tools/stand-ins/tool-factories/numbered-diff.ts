/** A diff in pi's format: each line with its sign and its number, ` ...` for omitted lines. */
import { maxEditLength } from "../../../handlers/unified-diff.ts"

export interface NumberedDiff {
  readonly diff: string
  /** Line number in the new text, from 1; absent if nothing changed. */
  readonly firstChangedLine?: number
}

type Library = typeof import("diff")
type Patch = ReturnType<Library["structuredPatch"]>

/** Makes the diff, and a unified one as `patch`. Both texts must have LF endings. */
export const numberedDiff = async (
  path: string,
  before: string,
  after: string,
): Promise<NumberedDiff & { readonly patch: string }> => {
  // Loaded when needed: it takes longer than everything else here.
  const library = await import("diff")
  const patch = compare(library, path, before, after, 4)
  const unified = patch === undefined ? "" : library.formatPatch(patch, library.FILE_HEADERS_ONLY)
  return { ...shown(patch, before, after), patch: unified }
}

export const numberedDiffOf = (
  library: Library,
  before: string,
  after: string,
  context?: number,
): NumberedDiff => shown(compare(library, "", before, after, context), before, after)

/** Returns undefined if the texts differ too much to be compared in time. */
const compare = (
  { structuredPatch }: Library,
  path: string,
  before: string,
  after: string,
  context = 4,
): Patch | undefined =>
  structuredPatch(path, path, before, after, undefined, undefined, { context, maxEditLength })

const shown = (patch: Patch | undefined, before: string, after: string): NumberedDiff => {
  const total = before.split("\n").length
  const width = String(Math.max(total, after.split("\n").length)).length
  const gap = ` ${" ".repeat(width)} ...`
  const rows: Array<string> = []
  let firstChangedLine: number | undefined
  let last = 0
  for (const { oldStart, newStart, lines } of patch?.hunks ?? []) {
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
  if (patch === undefined)
    return { diff: "(too many changes to show)", firstChangedLine: firstDifference(before, after) }
  const lastLine = before.endsWith("\n") ? total - 1 : total
  if (rows.length > 0 && last < lastLine) rows.push(gap)
  return { diff: rows.join("\n"), ...(firstChangedLine !== undefined && { firstChangedLine }) }
}

const firstDifference = (before: string, after: string): number => {
  const lines = before.split("\n")
  return after.split("\n").findIndex((line, index) => line !== lines[index]) + 1
}
