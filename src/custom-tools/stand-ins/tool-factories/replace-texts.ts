/**
 * Replaces texts that occur once in a file; all are searched in the original content. A text without an exact match is
 * searched with the usual deviations of models normalised. Everything outside of the replaced places is unchanged.
 */
import { exactText, fuzzyText, type LooseText } from "./loose-text.ts"

export interface Replacement {
  readonly oldText: string
  readonly newText: string
}

interface Place {
  readonly index: number
  readonly start: number
  readonly end: number
  readonly newText: string
}

const unixEndings = (text: string): string => text.replace(/\r\n?/g, "\n")

const count = (text: string, part: string): number => {
  let found = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found++
  return found
}

class TextReplacement {
  private readonly original: string
  private readonly edits: ReadonlyArray<Replacement>
  private readonly path: string
  private readonly newline: string
  private readonly exact: LooseText
  private fuzzy: LooseText | undefined

  constructor(original: string, edits: ReadonlyArray<Replacement>, path: string) {
    this.original = original
    this.edits = edits
    this.path = path
    this.newline = /\r?\n/.exec(original)?.[0] ?? "\n"
    this.exact = exactText(original)
  }

  run(): string {
    const places = this.edits.map((edit, index) => this.place(edit, index)).sort((a, b) => a.start - b.start)
    for (const [at, place] of places.entries()) {
      const before = places[at - 1]
      if (before === undefined || before.end <= place.start) continue
      throw new Error(
        `edits[${before.index}] and edits[${place.index}] overlap in ${this.path}. Make them one edit, or change places that are apart.`,
      )
    }
    const replaced = places.reduceRight(
      (text, { start, end, newText }) => text.slice(0, start) + newText + text.slice(end),
      this.original,
    )
    if (replaced !== this.original) return replaced
    throw new Error(`No changes made to ${this.path}: what would be put in is what is there.`)
  }

  private place({ oldText, newText }: Replacement, index: number): Place {
    const name = this.edits.length === 1 ? "oldText" : `edits[${index}].oldText`
    if (oldText === "") throw new Error(`${name} must not be empty in ${this.path}.`)
    const { within, wanted } = this.view(unixEndings(oldText), index)
    const times = count(within.text, wanted)
    if (times > 1) {
      throw new Error(
        `Found ${times} occurrences of ${this.nameOf(index)} in ${this.path}. It must be unique: give more of the text around it.`,
      )
    }
    const at = within.text.indexOf(wanted)
    return {
      index,
      start: within.originalOffset(at),
      end: within.originalOffset(at + wanted.length),
      newText: unixEndings(newText).replaceAll("\n", this.newline),
    }
  }

  /** Returns the view of the text in which to search for the wanted one. */
  private view(wanted: string, index: number): { readonly within: LooseText; readonly wanted: string } {
    if (this.exact.text.includes(wanted)) return { within: this.exact, wanted }
    this.fuzzy ??= fuzzyText(this.original)
    const loosely = fuzzyText(wanted).text
    if (loosely.trim() !== "" && this.fuzzy.text.includes(loosely))
      return { within: this.fuzzy, wanted: loosely }
    throw new Error(
      `Could not find ${this.nameOf(index)} in ${this.path}. It must match exactly, with all whitespace and newlines: read the file and copy it from there.`,
    )
  }

  private nameOf(index: number): string {
    return this.edits.length === 1 ? "the exact text" : `edits[${index}]`
  }
}

/** Replaces the texts. Throws an error that tells the model what to change. New text gets the file's line endings. */
export const replaceTexts = (original: string, edits: ReadonlyArray<Replacement>, path: string): string =>
  new TextReplacement(original, edits, path).run()
