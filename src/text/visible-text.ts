/**
 * Text that somebody else wrote, so that a person can decide on it: nothing of it is left out, nothing of it acts on the
 * screen, and two different texts do not look alike. It knows nobody, so that every layer and every host may use it.
 */
import { areMixed, isAlwaysMarked, isOwnMark, isRightToLeft, sharesLatinShapes } from "./character-classes.ts"
import { isLookalikeLetter } from "./lookalikes.ts"
import { proseMarks } from "./prose.ts"

/** How `visibleText` draws line ends and tabs. */
export interface VisibleTextOptions {
  /** Draws line ends as ` ⏎ `, so that all stands on one line. Default false: they stay. */
  readonly singleLine?: boolean
  /** Leaves tabs as they are, for hosts that draw them. Default false. */
  readonly keepTabs?: boolean
  /**
   * The text is a sentence for people, such as the question of a dialog: its quotes, apostrophes and dashes stay, on lines
   * that hold nothing that commands and paths are made of. Default false.
   */
  readonly prose?: boolean
}

/** Blanks beyond this many in a row are counted, where a line does not begin with them. */
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

/** How many combining marks a letter may have. */
const maxCombined = 3

const isAscii = /^\w/

const word = (text: string): string => {
  const letters = (text.match(/\p{L}/gu) ?? []).filter((letter) => !isAlwaysMarked(letter))
  const shared = letters.filter((letter) => sharesLatinShapes(letter))
  // A word of nothing but lookalikes is read as another one; a word in one script with letters of its own is not.
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
  // Written otherwise, the same would be seen.
  if (shown.normalize("NFC") !== shown) shown = shown.replace(/\p{M}/gu, codeOf)
  // What is read from right to left ends where it ends, and does not turn what stands around it.
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

// The words come first but for blanks: all else is a character by itself.
const parts = /\n+|\t+| +|[\p{L}\p{M}\p{N}_]+|[^\x20-\x7e]/gu

/**
 * The text as it can be decided on. What cannot be seen stands in marks: control characters and escapes by their names
 * (`⟦ESC⟧[2J`), bidirectional, invisible and combining characters and letters that pass for others by their numbers
 * (`⟦U+202E⟧`), long runs of blanks by their count (`⟦5000 spaces⟧`). A tab is `⇥`, a blank at the end of a line `␣`.
 * Nothing is left out: texts that differ are drawn differently, also where they hold such marks themselves.
 *
 * Draw it in a font of one width, and break its lines without dropping blanks. Around words that are read from right to
 * left it puts U+200E, so that the order of all else stays as it is.
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
