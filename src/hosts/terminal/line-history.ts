/** The lines that were typed, the oldest first; of equal ones the latest. */

const maxLines = 1000

/** The typed lines, the oldest first; of equal lines only the latest. */
export class LineHistory {
  private readonly lines: Array<string> = []
  private readonly onAdd: (line: string) => void

  /**
   * @param lines The lines of earlier sessions, the oldest first.
   * @param onAdd Called with each line that is kept.
   */
  constructor(lines: Iterable<string> = [], onAdd: (line: string) => void = () => undefined) {
    for (const line of lines) this.keep(line)
    this.onAdd = onAdd
  }

  get size(): number {
    return this.lines.length
  }

  at(index: number): string | undefined {
    return this.lines[index]
  }

  /** Adds a line, unless it begins with a space, as in shells: it can contain a secret. */
  add(line: string): void {
    if (/^\s|^$/.test(line)) return
    this.keep(line)
    this.onAdd(line)
  }

  /** The index of the latest line before an index that contains the text. */
  find(text: string, before: number): number | undefined {
    for (let index = before - 1; index >= 0; index -= 1) {
      if (this.lines[index]!.includes(text)) return index
    }
    return undefined
  }

  private keep(line: string): void {
    const at = this.lines.lastIndexOf(line)
    if (at !== -1) this.lines.splice(at, 1)
    this.lines.push(line)
    if (this.lines.length > maxLines) this.lines.shift()
  }
}
