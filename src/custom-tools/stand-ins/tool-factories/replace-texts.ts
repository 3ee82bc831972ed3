/**
 * Replaces texts that occur once in a file; all are searched in the original content. A text without an exact match is
 * searched with the usual deviations of models normalised. Everything outside of the replaced places is unchanged.
 */
import { exactText, fuzzyText, type LooseText, unixEndings } from "./loose-text.ts"

export interface Replacement {
  readonly oldText: string
  readonly newText: string
}

const count = (text: string, part: string): number => {
  let found = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found++
  return found
}

/** Replaces the texts. Throws an error that tells the model what to change. New text gets the file's line endings. */
export const replaceTexts = (original: string, edits: ReadonlyArray<Replacement>, path: string): string => {
  const newline = /\r?\n/.exec(original)?.[0] ?? "\n"
  const exact = exactText(original)
  let fuzzy: LooseText | undefined

  /** Returns the view of the text in which to search, and what to search there. */
  const viewFor = (
    oldText: string,
    name: string,
  ): { readonly within: LooseText; readonly wanted: string } => {
    const wanted = unixEndings(oldText)
    if (exact.text.includes(wanted)) return { within: exact, wanted }
    fuzzy ??= fuzzyText(original)
    const loosely = fuzzyText(wanted).text
    if (loosely.trim() !== "" && fuzzy.text.includes(loosely)) return { within: fuzzy, wanted: loosely }
    throw new Error(
      `Could not find ${name} in ${path}. It must match exactly, with all whitespace and newlines: read the file and copy it from there.`,
    )
  }

  const place = ({ oldText, newText }: Replacement, index: number) => {
    const isOnly = edits.length === 1
    if (oldText === "")
      throw new Error(`${isOnly ? "oldText" : `edits[${index}].oldText`} must not be empty in ${path}.`)
    const name = isOnly ? "the exact text" : `edits[${index}]`
    const { within, wanted } = viewFor(oldText, name)
    const times = count(within.text, wanted)
    if (times > 1) {
      throw new Error(
        `Found ${times} occurrences of ${name} in ${path}. It must be unique: give more of the text around it.`,
      )
    }
    const at = within.text.indexOf(wanted)
    const [start, end] = [at, at + wanted.length].map((offset) => within.originalOffset(offset))
    return { index, start: start!, end: end!, newText: unixEndings(newText).replaceAll("\n", newline) }
  }

  const places = edits.map(place).sort((a, b) => a.start - b.start)
  for (const [at, { index, start }] of places.entries()) {
    const before = places[at - 1]
    if (before === undefined || before.end <= start) continue
    throw new Error(
      `edits[${before.index}] and edits[${index}] overlap in ${path}. Make them one edit, or change places that are apart.`,
    )
  }
  const replaced = places.reduceRight(
    (text, { start, end, newText }) => text.slice(0, start) + newText + text.slice(end),
    original,
  )
  if (replaced !== original) return replaced
  throw new Error(`No changes made to ${path}: what would be put in is what is there.`)
}
