/** A text as it is searched, in which each place knows where it stands in the original: endings are LF, and more where asked. */

export interface LooseText {
  readonly text: string
  /** The offset in the original of an offset in the text, up to its length. */
  originalOffset(offset: number): number
}

const lines = /([^\r\n]*)(\r\n?|\n|$)/g

/** Characters that models write for others. */
const plainCharacter = (character: string): string => {
  if (character < "\x80") return character
  if (/[\u2018-\u201b]/.test(character)) return "'"
  if (/[\u201c-\u201f]/.test(character)) return '"'
  if (/[\u2010-\u2015\u2212]/.test(character)) return "-"
  return /[\u00a0\u2002-\u200a\u202f\u205f\u3000]/.test(character) ? " " : character.normalize("NFKC")
}

class Folding {
  private text = ""
  private readonly starts: Array<number> = []

  add(part: string, offset: number, isAsWritten = true): void {
    for (let unit = 0; unit < part.length; unit++) this.starts.push(isAsWritten ? offset + unit : offset)
    this.text += part
  }

  end(length: number): LooseText {
    const { text, starts } = this
    starts.push(length)
    return {
      text,
      originalOffset: (offset) => {
        // Of a character that became several, all belong to it.
        let at = offset
        while (at > 0 && at < text.length && starts[at] === starts[at - 1]) at++
        return starts[at]!
      },
    }
  }
}

/** As it is written but for the line endings. */
export const exactText = (original: string): LooseText => {
  if (!original.includes("\r")) return { text: original, originalOffset: (offset) => offset }
  const folding = new Folding()
  for (const { 1: line = "", 2: ending = "", index } of original.matchAll(lines)) {
    folding.add(line, index)
    if (ending !== "") folding.add("\n", index + line.length)
  }
  return folding.end(original.length)
}

/** Without spaces at line ends, and with plain quotes, dashes and spaces. */
export const fuzzyText = (original: string): LooseText => {
  const folding = new Folding()
  for (const { 1: line = "", 2: ending = "", index } of original.matchAll(lines)) {
    let offset = index
    // What follows no ending may go on: there, spaces count.
    for (const character of ending === "" ? line : line.trimEnd()) {
      const plain = plainCharacter(character)
      folding.add(plain, offset, plain.length === character.length)
      offset += character.length
    }
    if (ending !== "") folding.add("\n", index + line.length)
  }
  return folding.end(original.length)
}
