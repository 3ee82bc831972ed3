/** Which marks of typography belong to a sentence for people, and which pass for those of a command or a path. */

/** What commands and paths are made of: beside it, a quote or a dash of another kind is read as that of ASCII. */
const isCommandLike = /[`$;|&<>\\/~*='"{}[\]#]|(?:^|\s)-{1,2}\w/

/** Commands begin with a small letter. */
const isSentenceLike = /^[^\p{L}]*[\p{Lu}\p{Lo}]/u

/** What stands before and behind a mark that is used as a sentence uses it; a blank at the ends of a line. */
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
 * Tells for each character of a text whether it is such a mark, where it is asked from the beginning to the end. A line
 * that holds what commands and paths are made of has none, and one that may be a command has only apostrophes in words.
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
