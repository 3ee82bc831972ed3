/** A replacement, split at its metavariables and line ends. */
import { inReplacement } from "./meta-variable.ts"
import { StructuralError } from "./structural-error.ts"

export type TemplatePart =
  | { readonly _tag: "Text"; readonly text: string }
  /** `indents` is false if nothing follows on the line. */
  | { readonly _tag: "LineEnd"; readonly indents: boolean }
  | {
      readonly _tag: "Capture"
      readonly spelling: string
      /** The indentation of the replacement's line. */
      readonly indent: string
      /** Whether the capture is the first text on that line. */
      readonly startsLine: boolean
      /** The commas around a `$$$NAME`, with white space: if it captures nothing, one comma is removed. */
      readonly before: string
      readonly after: string
    }

export type Template = ReadonlyArray<TemplatePart>

const lineParts = (line: string): Array<TemplatePart> => {
  const indent = /^[ \t]*/.exec(line)![0]
  const parts: Array<TemplatePart> = []
  let at = 0
  for (const { 0: spelling, index } of line.matchAll(inReplacement)) {
    const text = line.slice(at, index)
    at = index + spelling.length
    const isMultiple = spelling.startsWith("$$$")
    const before = isMultiple ? /(?:,[ \t]*)?$/.exec(text)![0] : ""
    const after = isMultiple ? /^(?:[ \t]*,[ \t]*)?/.exec(line.slice(at))![0] : ""
    at += after.length
    parts.push({ _tag: "Text", text: text.slice(0, text.length - before.length) })
    parts.push({ _tag: "Capture", spelling, indent, startsLine: index === indent.length, before, after })
  }
  return [...parts, { _tag: "Text", text: line.slice(at) }]
}

const listed = (captures: ReadonlySet<string>): string =>
  captures.size === 0 ? "captures nothing" : `captures ${[...captures].join(", ")}`

/** Throws a StructuralError for a metavariable that the pattern does not capture. */
export const compileTemplate = (
  replacement: string,
  pattern: { readonly source: string; readonly captures: ReadonlySet<string> },
): Template => {
  const unknown = [...replacement.matchAll(inReplacement)]
    .map(([spelling]) => spelling)
    .find((spelling) => !pattern.captures.has(spelling))
  if (unknown !== undefined) {
    throw new StructuralError(
      `The replacement uses ${unknown}, but its pattern ${pattern.source} ${listed(pattern.captures)}. Use a metavariable as the pattern spells it.`,
    )
  }
  return replacement.split(/\r?\n/).flatMap((line, index) => {
    const parts = lineParts(line)
    return index === 0 ? parts : [{ _tag: "LineEnd", indents: line !== "" } as const, ...parts]
  })
}
