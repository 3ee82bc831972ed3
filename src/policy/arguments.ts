/** Classifies the words of a command, as far as the options that take a value are known. */
import { hasEndMark, type OptionNames, type Spelling, takesNext } from "./option-spelling.ts"
import type { ShellWord } from "./shell-word.ts"

/** `end` is `--`; `behind` is a word that belongs to another program. */
export type ArgumentKind = "option" | "value" | "operand" | "end" | "behind"

export interface ArgumentSpec {
  readonly spelling: Spelling
  readonly wanted: OptionNames
  /** Options that take a value. */
  readonly valued: OptionNames
  /** What follows the first operand, if the rest are not options of this program. */
  readonly behind?: "operands" | "another's" | undefined
}

export const isDash = ({ text }: ShellWord): boolean => /^-./.test(text)

/** Whether a word certainly stays one word when the line runs. */
export const isOneWord = ({ literal, splits, text }: ShellWord): boolean =>
  literal || !(splits || /[*?[]/.test(text))

export const argumentKinds = (
  words: ReadonlyArray<ShellWord>,
  { spelling, wanted, valued, behind }: ArgumentSpec,
): ReadonlyArray<ArgumentKind> => {
  const kinds: Array<ArgumentKind> = []
  let isEnded = false
  let hasOperand = false
  for (const [at, word] of words.entries()) {
    const before = kinds[at - 1]
    if (before === "behind") kinds.push("behind")
    else if (
      before === "option" &&
      isOneWord(word) &&
      takesNext(words[at - 1]!.text, spelling, wanted, valued)
    ) {
      kinds.push("value")
    } else if (word.text === "--" && !isEnded) {
      kinds.push("end")
      isEnded = hasEndMark(spelling)
    } else if (isDash(word) && !isEnded && !(hasOperand && behind === "operands")) {
      kinds.push("option")
    } else if (behind === "another's" && word.literal && before !== "option") {
      kinds.push("behind")
    } else {
      kinds.push("operand")
      hasOperand = true
    }
  }
  return kinds
}
