/** Colours JavaScript line by line. */
import { type CodePart, fencedParts } from "../../text/code-parts.ts"
import { visibleText } from "../../text/visible-text.ts"
import type { Style } from "./style.ts"
import type { Paint } from "./visible-rows.ts"

const paintOf = ({ kind }: CodePart, style: Style): ((text: string) => string) => {
  if (kind === "tool") return style.ask
  if (kind === "word") return style.name
  if (kind === "string") return style.good
  return kind === "comment" ? style.busy : (text) => text
}

/** How the lines of a text are coloured, one after the other; undefined for a text that is not fenced code. */
export const paintCode = (text: string, style: Style): ((line: string) => Paint) | undefined => {
  const parts = fencedParts(visibleText(text))
  if (parts === undefined) return undefined
  let next = 0
  const placed = parts.map((part) => {
    const begin = next
    next += part.text.length
    return { begin, end: next, paint: paintOf(part, style) }
  })
  let lineAt = 0
  let first = 0
  return (line) => {
    const begin = lineAt
    lineAt += line.length + 1
    while (first < placed.length && placed[first]!.end <= begin) first += 1
    const ofLine: Array<(typeof placed)[number]> = []
    for (let index = first; index < placed.length && placed[index]!.begin < lineAt; index += 1)
      ofLine.push(placed[index]!)
    return (text, at) =>
      ofLine
        .map((part) => {
          const [from, to] = [part.begin, part.end].map((place) => Math.max(0, place - begin - at))
          const piece = text.slice(from, to)
          return piece === "" ? "" : part.paint(piece)
        })
        .join("")
  }
}
