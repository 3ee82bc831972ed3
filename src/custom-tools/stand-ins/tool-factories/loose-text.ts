/**
 * A normalised text to search, with a map of its offsets to the original: line endings are LF, and more is normalised on
 * request.
 */

export interface LooseText {
  readonly text: string
  /** Converts an offset in the text, up to its length, to one in the original. */
  originalOffset(offset: number): number
}

/** Stores only the places where the distance between both offsets changes: a few numbers per line, not per character. */
class Offsets {
  private readonly starts: Array<number> = [0]
  private readonly distances: Array<number> = [0]

  /** Records that `offset` in the text corresponds to `original` from there on. Offsets must increase. */
  mark(offset: number, original: number): void {
    const distance = original - offset
    if (distance === this.distances.at(-1)) return
    this.starts.push(offset)
    this.distances.push(distance)
  }

  original(offset: number): number {
    const { starts, distances } = this
    // Find the last start that is not after the offset.
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

/** The text with normalised line endings only. */
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

/** A run of ASCII, which is kept, or a single other character. */
const runs = /[\0-\x7f]+|[^\0-\x7f]/gu

/** Replaces characters that models write differently. */
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

  /** Adds `part`, which replaces `originalLength` characters at an offset in the original. */
  add(part: string, offset: number, originalLength: number): void {
    this.offsets.mark(this.length, offset)
    // If a character became several, the offsets after the first map to the end of the original character.
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

/** The text without spaces at line ends, and with plain quotes, dashes and spaces. */
export const fuzzyText = (original: string): LooseText => {
  const folding = new Folding()
  for (const { 1: line = "", 2: ending = "", index } of original.matchAll(lines)) {
    // A last line without an ending can continue, so its spaces are kept.
    for (const { 0: run, index: at } of (ending === "" ? line : line.trimEnd()).matchAll(runs)) {
      folding.add(plainRun(run), index + at, run.length)
    }
    if (ending !== "") folding.add("\n", index + line.length, ending.length)
  }
  return folding.end(original.length)
}
