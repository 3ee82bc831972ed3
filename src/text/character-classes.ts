/** Which characters are visible, and distinguishable, to the reader of a text. */
import { isLookalike } from "./lookalikes.ts"

type Holds = (text: string) => boolean

/**
 * Returns whether a text contains a match. Unicode's classes take long to compile, so this waits for the first text that
 * needs them.
 */
const holds = (source: string): Holds => {
  let pattern: RegExp | undefined
  return (text) => {
    pattern ??= new RegExp(source, "u")
    return pattern.test(text)
  }
}

const ofScripts = (scripts: string): Holds =>
  holds(
    `[${scripts
      .split(" ")
      .map((script) => `\\p{Script=${script}}`)
      .join("")}]`,
  )

/**
 * Controls, formats, surrogates, private and unassigned characters, blanks of other widths, invisible characters, and
 * characters that only change a neighbour: the colour of an emoji, or a letter that is drawn on the next one.
 */
const isUnseen = holds(String.raw`[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\u2800\u0d4e]`)

/** Scripts in everyday use (Unicode's Annex 31): letters of all others are too easily mistaken. */
const isOfEverydayScript = ofScripts(
  "Latin Common Inherited Cyrillic Greek Armenian Arabic Hebrew Thaana Han Hiragana Katakana Hangul Bopomofo Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Ethiopic Khmer",
)

const isDigit = holds(String.raw`\p{Nd}`)

/** Phonetic letters, which are turned or small Latin letters, and the parts of Korean syllables. */
const special =
  /[\u01c0-\u01c3\u0250-\u02ff\u1100-\u11ff\u1d00-\u1dbf\u2c60-\u2c7f\ua720-\ua7ff\ua960-\ua97f\uab30-\uab6f\ud7b0-\ud7ff]/

/** Whether a character is never shown unchanged, whatever its context. */
export const isAlwaysMarked = (character: string): boolean =>
  isUnseen(character) ||
  special.test(character) ||
  isLookalike.has(character) ||
  isDigit(character) ||
  character.normalize("NFKC") !== character ||
  !isOfEverydayScript(character)

/** Whether part of a text is read from right to left. */
export const isRightToLeft = ofScripts("Arabic Hebrew Thaana")

const likeLatin = ["Cyrillic", "Greek", "Armenian"]

/** Whether a letter belongs to a script that shares shapes with the Latin one. */
export const sharesLatinShapes = ofScripts(likeLatin.join(" "))

const alike = ["Latin", ...likeLatin].map(ofScripts)

/** Whether letters come from several scripts that share shapes. */
export const areMixed = (letters: ReadonlyArray<string>): boolean =>
  alike.filter((isOfScript) => letters.some(isOfScript)).length > 1

/** Scripts that need marks over, under and around their letters, with the marks of each. */
const markedScripts =
  "Arabic Hebrew Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Khmer"
    .split(" ")
    .map((script) => ({
      isLetter: holds(`^(?=\\p{L})\\p{Script=${script}}$`),
      isMark: holds(`\\p{Script_Extensions=${script}}`),
    }))

/** Whether a combining mark belongs to the script of its letter. */
export const isOwnMark = (mark: string, letter: string): boolean =>
  markedScripts.some(({ isLetter, isMark }) => isMark(mark) && isLetter(letter))
