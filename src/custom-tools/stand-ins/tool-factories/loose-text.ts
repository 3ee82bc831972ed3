/** A text as it is searched, in which each place knows where it stands in the original: endings are LF, and more where asked. */

export interface LooseText {
  readonly text: string
  /** The offset in the original of an offset in the text, up to its length. */
  originalOffset(offset: number): number
}

/** Kept only where the distance between both offsets changes: some numbers for a line, not for a character. */
class Offsets {
  private readonly starts: Array<number> = [0]
  private readonly distances: Array<number> = [0]

  /** From `offset` on, the text goes on with what stands at `original`. Offsets only grow. */
  mark(offset: number, original: number): void {
    const distance = original - offset
    if (distance === this.distances.at(-1)) return
    this.starts.push(offset)
    this.distances.push(distance)
  }

  original(offset: number): number {
    const { starts, distances } = this
    // The last start that is not behind the offset.
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return offset + distances[low]!
  }
}

/** As it is written but for the line endings. */
export const exactText = (original: string): LooseText => {
  const offsets = new Offsets()
  let removed = 0
  for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) {
    offsets.mark(at + 1 - removed, at + 2)
    removed++
  }
  return {
    text: original.replace(/\r\n?/g, "\n"),
    originalOffset: (offset) => offsets.original(offset),
  }
}

const lines = /([^\r\n]*)(\r\n?|\n|$)/g

/** What stays as it is, or one character. */
const runs = /[\0-\x7f]+|[^\0-\x7f]/gu

/** Characters that models write for others. */
const plainRun = (run: string): string => {
  if (run < "\x80") return run
  if (/[\u2018-\u201b]/.test(run)) return "'"
  if (/[\u201c-\u201f]/.test(run)) return '"'
  if (/[\u2010-\u2015\u2212]/.test(run)) return "-"
  return /[\u00a0\u2002-\u200a\u202f\u205f\u3000]/.test(run) ? " " : run.normalize("NFKC")
}

class Folding {
  private readonly parts: Array<string> = []
  private readonly offsets = new Offsets()
  private length = 0

  /** `part` stands for `originalLength` characters at an offset in the original. */
  add(part: string, offset: number, originalLength: number): void {
    this.offsets.mark(this.length, offset)
    // Of a character that became several, all belong to it: whatever is after the first is behind it.
    if (part.length > originalLength) {
      for (let unit = 1; unit < part.length; unit++) {
        this.offsets.mark(this.length + unit, offset + originalLength)
      }
    }
    this.parts.push(part)
    this.length += part.length
  }

  end(originalLength: number): LooseText {
    this.offsets.mark(this.length, originalLength)
    return { text: this.parts.join(""), originalOffset: (offset) => this.offsets.original(offset) }
  }
}

/** Without spaces at line ends, and with plain quotes, dashes and spaces. */
export const fuzzyText = (original: string): LooseText => {
  const folding = new Folding()
  for (const { 1: line = "", 2: ending = "", index } of original.matchAll(lines)) {
    // What follows no ending may go on: there, spaces count.
    for (const { 0: run, index: at } of (ending === "" ? line : line.trimEnd()).matchAll(runs)) {
      folding.add(plainRun(run), index + at, run.length)
    }
    if (ending !== "") folding.add("\n", index + line.length, ending.length)
  }
  return folding.end(original.length)
}
