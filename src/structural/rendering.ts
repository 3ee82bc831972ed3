/**
 * Renders a template for a match. Lines are re-indented: those of the template like the line on which the match begins;
 * those of a capture with the match or, if the capture begins a line of the template, with its own first line. Lines inside
 * strings are unchanged.
 */
import type { NestedMatch, Span } from "./match.ts"
import { StructuralError } from "./structural-error.ts"
import type { Template, TemplatePart } from "./template.ts"

type CapturePart = Extract<TemplatePart, { readonly _tag: "Capture" }>

/** Maximum length of a result, in UTF-16 code units: nested matches can make a text grow without limit. */
const maxLength = 4_000_000

/** How to re-indent the lines of a part of the text. */
interface Shift {
  readonly from: string
  readonly to: string
}

const shifted = (indent: string, shift: Shift | undefined): string =>
  shift !== undefined && indent.startsWith(shift.from) ? shift.to + indent.slice(shift.from.length) : indent

export class Rendering {
  private readonly text: string
  private readonly template: Template
  private readonly lineEnd: string
  private readonly findVerbatim: () => ReadonlyArray<Span>
  private verbatim: ReadonlyArray<Span> | undefined
  private room = maxLength

  constructor(text: string, template: Template, findVerbatim: () => ReadonlyArray<Span>) {
    this.text = text
    this.template = template
    this.lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
    this.findVerbatim = findVerbatim
  }

  match(match: NestedMatch, shift?: Shift): string {
    const indent = shifted(this.indentAt(match.start), shift)
    let result = ""
    for (const part of this.template) {
      if (part._tag === "Text") {
        result += this.spend(part.text)
      } else if (part._tag === "LineEnd") {
        result += this.spend(part.indents ? this.lineEnd + indent : this.lineEnd)
      } else {
        result += this.captured(match, part, indent + part.indent)
      }
    }
    return result
  }

  private captured(match: NestedMatch, part: CapturePart, indent: string): string {
    const { spelling, startsLine, before, after } = part
    const span = match.captures.get(spelling)
    // Without arguments, `f(x, $$$ARGS, y)` becomes `f(x, y)`.
    if (span === undefined) return before === "" || after === "" ? "" : this.spend(after)
    const from = this.indentAt(startsLine ? span.start : match.start)
    const text = this.moved(match, span, from === indent ? undefined : { from, to: indent })
    // The capture can itself end with a comma.
    return before + text + (text.endsWith(",") ? after.replace(",", "") : after)
  }

  private moved({ inner }: NestedMatch, span: Span, shift: Shift | undefined): string {
    let result = ""
    let at = span.start
    for (const match of inner) {
      if (match.start < at || match.end > span.end) continue
      result += this.original(at, match.start, shift) + this.match(match, shift)
      at = match.end
    }
    return result + this.original(at, span.end, shift)
  }

  private original(start: number, end: number, shift: Shift | undefined): string {
    const part = this.text.slice(start, end)
    if (shift === undefined || !part.includes("\n")) return this.spend(part)
    const moved = part.replace(/\n([ \t]*)/g, (line, indent: string, index: number) => {
      const next = this.text[start + index + line.length]
      const isBlank = next === "\n" || next === "\r"
      return isBlank || this.isVerbatim(start + index) ? line : `\n${shifted(indent, shift)}`
    })
    return this.spend(moved)
  }

  /** The indentation of the line at an offset. */
  private indentAt(offset: number): string {
    const lineStart = this.text.lastIndexOf("\n", offset - 1) + 1
    let end = lineStart
    while (end < offset && (this.text[end] === " " || this.text[end] === "\t")) end++
    return this.text.slice(lineStart, end)
  }

  private isVerbatim(offset: number): boolean {
    this.verbatim ??= this.findVerbatim()
    return this.verbatim.some(({ start, end }) => start <= offset && offset < end)
  }

  private spend(text: string): string {
    // One extra per part, so that the number of empty parts is limited too.
    this.room -= text.length + 1
    if (this.room < 0) {
      throw new StructuralError(
        `The result would be longer than ${maxLength} characters. Matches inside of matches multiply: use each metavariable once.`,
      )
    }
    return text
  }
}
