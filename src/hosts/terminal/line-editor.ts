/** Edits one line, with the keys and the history of node:readline; somebody else draws it. */
import { createInterface, type Interface } from "node:readline"
import { PassThrough } from "node:stream"
import { columnsOf } from "./columns.ts"
import type { KeyPress } from "./keyboard.ts"
import { singleLine } from "./render-text.ts"

export interface LineEditorOptions {
  onLine(line: string): void
  /** Ctrl-D on an empty line. */
  onEnd(): void
  /** What the line's last word may become. */
  complete(line: string): ReadonlyArray<string>
}

export interface DrawnLine {
  readonly text: string
  /** Columns before the cursor. */
  readonly cursor: number
}

export class LineEditor {
  private readonly readline: Interface

  constructor({ onLine, onEnd, complete }: LineEditorOptions) {
    // Its input stays empty and it has no output: keys come by `press`, so that the host may keep some for itself.
    this.readline = createInterface({
      input: new PassThrough(),
      terminal: true,
      historySize: 1000,
      removeHistoryDuplicates: true,
      completer: (line: string) => {
        const word = /\S*$/.exec(line)![0]
        return [complete(line), word]
      },
    })
    this.readline.on("line", onLine)
    this.readline.on("close", onEnd)
  }

  get isEmpty(): boolean {
    return this.readline.line === ""
  }

  press(key: KeyPress): void {
    const endsLine = key.name === "return" || key.name === "enter"
    if (!key.pasted) this.readline.write(key.text === "" ? (key.sequence ?? "") : key.text, key)
    else if (endsLine || key.name === "tab") this.readline.write(" ")
    else this.readline.write(key.text)
  }

  clear(): void {
    this.readline.write(null, { ctrl: true, name: "e" })
    this.readline.write(null, { ctrl: true, name: "u" })
  }

  /** The part of the line around the cursor that fits in `width` columns. */
  draw(width: number): DrawnLine {
    const { line, cursor } = this.readline
    const before = [...line.slice(0, cursor)].map(shown)
    const after = [...line.slice(cursor)].map(shown)
    let columns = 0
    let first = before.length
    while (first > 0 && columns + columnsOf(before[first - 1]!) < width)
      columns += columnsOf(before[--first]!)
    let used = columns
    let last = 0
    while (last < after.length && used + columnsOf(after[last]!) < width) used += columnsOf(after[last++]!)
    return { text: before.slice(first).join("") + after.slice(0, last).join(""), cursor: columns }
  }

  close(): void {
    this.readline.removeAllListeners("close")
    this.readline.close()
  }
}

const shown = (character: string): string => (character === " " ? " " : singleLine(character))
