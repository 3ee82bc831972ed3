/**
 * Writes what a template makes of a match. Lines keep their place: those of the template are indented like the line that
 * the match begins on. Those of a capture move like the match does or, where the capture begins a line of the template, like
 * its own first line does. Lines inside of strings are left alone.
 */
import type { NestedMatch, Span } from "./match.ts"
import { StructuralError } from "./structural-error.ts"
import type { Template, TemplatePart } from "./template.ts"

type CapturePart = Extract<TemplatePart, { readonly _tag: "Capture" }>

/** Of a result, in UTF-16 code units: nested matches can make a text grow without limit. */
const maxLength = 4_000_000

/** How the lines of a part of the text are indented anew. */
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
    // `f(x, $$$ARGS, y)` of no arguments is `f(x, y)`.
    if (span === undefined) return before === "" || after === "" ? "" : this.spend(after)
    const from = this.indentAt(startsLine ? span.start : match.start)
    const text = this.moved(match, span, from === indent ? undefined : { from, to: indent })
    // What is captured may end with a comma of its own.
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

  /** The white space that the line of an offset begins with. */
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
    // Something for nothing, so that empty parts come to an end too.
    this.room -= text.length + 1
    if (this.room < 0) {
      throw new StructuralError(
        `The result would be longer than ${maxLength} characters. Matches inside of matches multiply: use each metavariable once.`,
      )
    }
    return text
  }
}
