/** Questions on a terminal: how keys answer them, and how they are drawn until then. */
import { clip, columnsOf } from "./columns.ts"
import type { KeyPress } from "./keyboard.ts"
import { LineEditor } from "./line-editor.ts"
import type { Frame } from "./live-region.ts"
import { visibleSentence } from "./render-text.ts"
import type { Style } from "./style.ts"
import { breakVisible } from "./visible-rows.ts"

/** The room of a question. */
export interface QuestionArea {
  /** In columns. */
  readonly width: number
  /** The maximum number of lines that it should take. */
  readonly rows: number
  readonly style: Style
}

export interface Question {
  /** Whether there is typed text that Ctrl-D edits. */
  readonly hasText: boolean
  /** Texts to be read before the answer that do not fit the question's area. Default: none. */
  longTexts?(width: number): ReadonlyArray<string>
  press(key: KeyPress): void
  draw(area: QuestionArea): Frame
  close(): void
}

const isPlain = ({ pasted, ctrl, meta }: KeyPress): boolean => !pasted && ctrl !== true && meta !== true

/** Whether a key can decide: one that came with others could have been pasted. */
const isDecision = (key: KeyPress): boolean => isPlain(key) && key.inBurst !== true

/** `y` or `n`. */
export const confirmQuestion = (answer: (isConfirmed: boolean) => void): Question => ({
  hasText: false,
  press(key) {
    const text = key.text.toLowerCase()
    if (isDecision(key) && (text === "y" || text === "n")) answer(text === "y")
  },
  draw: ({ style }) => ({ live: [`${style.good("[y]es")} ${style.bad("[n]o")}`] }),
  close: () => undefined,
})

const between = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most))

/** A number or the arrow keys choose an option, shown whole if there is room, and Enter takes it. Expects at least one. */
export class SelectQuestion implements Question {
  readonly hasText = false
  private readonly options: ReadonlyArray<string>
  private readonly texts: ReadonlyArray<string>
  private readonly answer: (index: number) => void
  private selected = 0
  /** The number that was typed so far. */
  private typed = 0

  constructor(options: ReadonlyArray<string>, answer: (index: number) => void) {
    this.options = options.map(visibleSentence)
    this.texts = options
    this.answer = answer
  }

  press(key: KeyPress): void {
    if (!isPlain(key)) return
    if (/^\d$/.test(key.text)) return this.typeDigit(Number(key.text))
    this.typed = 0
    if (key.name === "up") this.select(this.selected - 1)
    else if (key.name === "down") this.select(this.selected + 1)
    else if (isDecision(key) && (key.name === "return" || key.name === "enter")) this.answer(this.selected)
  }

  draw({ width, rows, style }: QuestionArea): Frame {
    const { options, selected } = this
    const digits = String(options.length).length
    const textOf = (index: number) => `${String(index + 1).padStart(digits)}. ${options[index]}`
    const whole = breakVisible(textOf(selected), width - 2)
    const taken = whole.length < rows ? whole : [clip(textOf(selected), width - 2)]
    const count = between(1, rows - taken.length, options.length)
    const first = between(0, selected - Math.floor(count / 2), options.length - count)
    const lines = Array.from({ length: count }, (_, index) => first + index).flatMap((index) =>
      index === selected
        ? taken.map((line, row) => style.bold(`${row === 0 ? "›" : " "} ${line}`))
        : `  ${clip(textOf(index), width - 2)}`,
    )
    const more = count < options.length ? `${selected + 1} of ${options.length}: ` : ""
    const hint = `  ${more}a number or ↑ ↓, then Enter; Esc takes none`
    return { live: [...lines, style.dim(clip(hint, width))] }
  }

  close(): void {}

  longTexts(width: number): ReadonlyArray<string> {
    const room = width - 4 - String(this.options.length).length
    if (this.options.every((option) => columnsOf(option) <= room)) return []
    return this.texts.map((text, index) => `${index + 1}. ${text}`)
  }

  private select(index: number): void {
    this.selected = between(0, index, this.options.length - 1)
  }

  private typeDigit(digit: number): void {
    const longer = 10 * this.typed + digit
    this.typed = longer <= this.options.length ? longer : digit
    if (this.typed >= 1 && this.typed <= this.options.length) this.select(this.typed - 1)
  }
}

export interface LineQuestionOptions {
  /** Shown while nothing is typed. */
  readonly placeholder?: string
  /** The initial text. */
  readonly text?: string
  /** Whether line ends can be pasted and typed; otherwise they become spaces. Default false. */
  readonly hasLines?: boolean
}

/** A text of one line or several, ended by Enter. */
export class LineQuestion implements Question {
  private readonly editor: LineEditor
  private readonly placeholder: string

  constructor(options: LineQuestionOptions, answer: (line: string) => void) {
    const { placeholder = "", text = "", hasLines = false } = options
    const whole = (line: string) => (hasLines ? line : line.replace(/\n/g, " "))
    this.editor = new LineEditor({ onLine: (line) => answer(whole(line)), onEnd: () => undefined })
    this.placeholder = visibleSentence(placeholder)
    this.editor.set(text)
  }

  get hasText(): boolean {
    return !this.editor.isEmpty
  }

  press(key: KeyPress): void {
    this.editor.press(key)
  }

  draw({ width, rows, style }: QuestionArea): Frame {
    const { rows: lines, isStart, cursor } = this.editor.draw(width, Math.max(1, rows - 1), 2)
    const [first = "", ...rest] = this.hasText ? lines : [style.dim(clip(this.placeholder, width - 2))]
    const hint = style.dim(clip("  Enter answers, Esc does not", width))
    return { live: [isStart ? style.bold("› ") + first : first, ...rest, hint], cursor }
  }

  close(): void {
    this.editor.close()
  }
}
