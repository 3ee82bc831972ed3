/** Distinguishes typographic marks in sentences for people from marks that look like those of a command or a path. */

/** The characters of commands and paths: next to them, a typographic quote or dash is read as the ASCII one. */
const isCommandLike = /[`$;|&<>\\/~*='"{}[\]#]|(?:^|\s)-{1,2}\w/

/** Commands begin with a lower-case letter. */
const isSentenceLike = /^[^\p{L}]*[\p{Lu}\p{Lo}]/u

/** The characters before and after a mark in its usual place in a sentence; a blank for the ends of a line. */
const usual: ReadonlyMap<string, RegExp> = new Map([
  ["‘", /^[\s(“]\S/],
  ["“", /^[\s(‘]\S/],
  ["’", /^\S[\s.,:!?)”]/],
  ["”", /^\S[\s.,:!?)’]/],
  ["–", /^(?: {2}|\d\d)/],
  ["…", /^/],
])

const isApostrophe = /^\p{L}’\p{L}$/u

/**
 * Returns a function that tests whether each character of a text is such a mark; call it from the beginning to the end. A
 * line with characters of commands and paths has no such marks, and a line that may be a command has only apostrophes in
 * words.
 */
export const proseMarks = (text: string): ((character: string, at: number) => boolean) => {
  let end = -1
  let isPlain = false
  let isSentence = false
  return (character, at) => {
    const surroundings = usual.get(character)
    if (surroundings === undefined) return false
    if (at >= end) {
      const next = text.indexOf("\n", at)
      end = next === -1 ? text.length : next
      const line = text.slice(text.lastIndexOf("\n", at) + 1, end)
      isPlain = !isCommandLike.test(line)
      isSentence = isPlain && isSentenceLike.test(line)
    }
    const beside = (index: number) => (text[index] ?? "\n").replace("\n", " ")
    const [before, behind] = [beside(at - 1), beside(at + 1)]
    return (
      (isSentence && surroundings.test(before + behind)) ||
      (isPlain && isApostrophe.test(before + character + behind))
    )
  }
}
