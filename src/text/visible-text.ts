/**
 * Makes text from elsewhere safe for a person to decide on: nothing is left out, nothing acts on the screen, and two
 * different texts do not look alike. It imports no other layer, so that every layer and host can use it.
 */
import { areMixed, isAlwaysMarked, isOwnMark, isRightToLeft, sharesLatinShapes } from "./character-classes.ts"
import { isLookalikeLetter } from "./lookalikes.ts"
import { proseMarks } from "./prose.ts"

/** How `visibleText` draws newlines and tabs. */
export interface VisibleTextOptions {
  /** Draws newlines as ` ⏎ `, so that the text is one line. Default false: newlines stay. */
  readonly singleLine?: boolean
  /** Leaves tabs unchanged, for hosts that draw them. Default false. */
  readonly keepTabs?: boolean
  /**
   * Whether the text is a sentence for people, such as the question of a dialog: its quotes, apostrophes and dashes stay,
   * on lines without the characters of commands and paths. Default false.
   */
  readonly prose?: boolean
}

/** A longer run of blanks is replaced by its count; `maxIndent` is the limit at the beginning of a line. */
const maxBlanks = 8
const maxIndent = 40
const maxTabs = 10
const maxNewlines = 10

const controls =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(
    " ",
  )

const mark = (content: string): string => `⟦${content}⟧`

const codeOf = (character: string): string => {
  const code = character.codePointAt(0)!
  if (code === 0x7f) return mark("DEL")
  return mark(controls[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`)
}

/** The maximum number of combining marks on a letter. */
const maxCombined = 3

const isAscii = /^\w/

const word = (text: string): string => {
  const letters = (text.match(/\p{L}/gu) ?? []).filter((letter) => !isAlwaysMarked(letter))
  const shared = letters.filter((letter) => sharesLatinShapes(letter))
  // A word of only lookalikes is read as a different word; a word in one script with letters of its own is not.
  const isMistaken = areMixed(letters) || shared.every((letter) => isLookalikeLetter.has(letter))
  const isMarked = (character: string): boolean =>
    isAlwaysMarked(character) || (isMistaken && sharesLatinShapes(character))
  let shown = ""
  // The letter that combining marks belong to, and how many more it may have.
  let letter = ""
  let room = 0
  for (const part of text.match(/\w+|[^\w]/gu) ?? []) {
    const isCombining = /\p{M}/u.test(part)
    const isShown =
      isAscii.test(part) || (!isMarked(part) && (!isCombining || (room > 0 && isOwnMark(part, letter))))
    shown += isShown ? part : codeOf(part)
    if (!isCombining) letter = isShown ? part : ""
    room = !isCombining ? maxCombined : isShown ? room - 1 : 0
  }
  // A text with the same normal form would look identical.
  if (shown.normalize("NFC") !== shown) shown = shown.replace(/\p{M}/gu, codeOf)
  // Isolates text that is read from right to left, so that it does not reorder its surroundings.
  return isRightToLeft(shown) ? `\u200e${shown}\u200e` : shown
}

const newlines = (text: string, { singleLine }: VisibleTextOptions): string => {
  if (text.length > maxNewlines) return mark(`${text.length} newlines`)
  return singleLine === true ? " ⏎ ".repeat(text.length) : text
}

const blanks = (text: string, isIndent: boolean, isLast: boolean): string => {
  const { length } = text
  if (length > (isIndent && !isLast ? maxIndent : maxBlanks)) return mark(`${length} spaces`)
  return isLast ? "␣".repeat(length) : text
}

const tabs = (text: string, { keepTabs }: VisibleTextOptions): string => {
  if (text.length > maxTabs) return mark(`${text.length} tabs`)
  return keepTabs === true ? text : "⇥   ".repeat(text.length)
}

const plain = /^ {0,40}(?:[\x21-\x7e]+(?: {1,8}[\x21-\x7e]+)*)?$/

// Words come first, except for blanks: any other character is a part by itself.
const parts = /\n+|\t+| +|[\p{L}\p{M}\p{N}_]+|[^\x20-\x7e]/gu

/**
 * Returns a text in a form that a person can decide on. Invisible characters are shown in marks: control characters and
 * escapes by their names (`⟦ESC⟧[2J`), bidirectional, invisible and combining characters and lookalike letters by their
 * numbers (`⟦U+202E⟧`), long runs of blanks by their count (`⟦5000 spaces⟧`). A tab is `⇥`, a blank at the end of a line
 * `␣`. Nothing is left out: different texts are drawn differently, even if they contain such marks themselves.
 *
 * Draw the text in a monospaced font, and wrap its lines without dropping blanks. Words that are read from right to left
 * are enclosed in U+200E, so that the order of everything else stays unchanged.
 *
 * @example
 * visibleText("touch PWN #\rls -la") // touch PWN #⟦CR⟧ls -la
 */
export const visibleText = (text: string, options: VisibleTextOptions = {}): string => {
  if (plain.test(text) && !text.endsWith(" ")) return text
  const isProse = options.prose === true ? proseMarks(text) : () => false
  return text.replace(parts, (part, at: number) => {
    const end = at + part.length
    if (part[0] === "\n") return newlines(part, options)
    if (part[0] === "\t") return tabs(part, options)
    if (part[0] === " ") {
      const isIndent = at === 0 || text[at - 1] === "\n"
      return blanks(part, isIndent, end === text.length || text[end] === "\n")
    }
    if (/^[\p{L}\p{M}\p{N}_]/u.test(part)) return /^\w+$/.test(part) ? part : word(part)
    return isAlwaysMarked(part) && !isProse(part, at) ? codeOf(part) : part
  })
}
