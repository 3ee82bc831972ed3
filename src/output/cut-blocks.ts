/** Cuts the blocks of a result to what it may give the model: text keeps its start and its end, other blocks stay or are left out. */
import { headOfBytes, tailOfBytes } from "../text/truncation.ts"
import type { ToolContent } from "./content.ts"

/** What a result gives the model at most by default, in bytes of UTF-8. */
export const defaultOutputBytes = 50_000

/** The part of the sentence in the gap that says how the text can be read on from a byte. */
export type ReadOn = (offset: number) => string

const bytesOf = (block: ToolContent): number => {
  switch (block.type) {
    case "text":
      return Buffer.byteLength(block.text)
    case "image":
    case "audio":
      return Buffer.byteLength(block.data)
    case "resource":
      return Buffer.byteLength(block.resource.text ?? block.resource.blob)
    case "resource_link":
      return Buffer.byteLength(`${block.name}${block.uri}${block.title ?? ""}${block.description ?? ""}`)
  }
}

/** Bytes of blocks, texts joined by newlines. */
export const bytesOfBlocks = (blocks: ReadonlyArray<ToolContent>): number =>
  blocks.reduce((sum, block) => sum + bytesOf(block), 0) +
  Math.max(0, blocks.filter(({ type }) => type === "text").length - 1)

/** Text can be cut and read on, also that of a resource. */
const asText = (block: ToolContent): ToolContent =>
  block.type === "resource" && block.resource.text !== undefined
    ? { type: "text", text: block.resource.text }
    : block

const gap = (left: number, readOn: string): string => `\n[… ${left} bytes left out${readOn} …]\n`

/** Both ends of a text, and between them how much is left out. Only its start where even that does not fit. */
const bothEnds = (whole: Buffer, room: number, readOn: ReadOn | undefined): string => {
  for (const told of [readOn, undefined]) {
    const on = (offset: number) => told?.(offset) ?? ""
    // No number in the sentence is longer than this one.
    const inner = room - Buffer.byteLength(gap(whole.length, on(whole.length)))
    if (inner < 0) continue
    const head = headOfBytes(whole, Math.ceil(inner / 2))
    const tail = tailOfBytes(whole, inner - head.length)
    const left = whole.length - head.length - tail.length
    return `${head.toString()}${gap(left, on(head.length))}${tail.toString()}`
  }
  return headOfBytes(whole, Math.max(0, room)).toString()
}

const leftOut = (blocks: ReadonlyArray<ToolContent>): string => {
  const kinds = [...new Set(blocks.map(({ type }) => type))].join(", ")
  const bytes = blocks.reduce((sum, block) => sum + bytesOf(block), 0)
  return `[${blocks.length === 1 ? "1 block" : `${blocks.length} blocks`} left out, too large to be shown: ${kinds}, ${bytes} bytes]`
}

/**
 * The blocks within `max` bytes of UTF-8, and how many bytes all of them have; undefined where they fit. Text gets half of the room
 * if it needs so much, and other blocks, whole or not at all, what is left. `keep` is called with a text that is cut: it keeps all of
 * the text, and returns how to read it on.
 */
export const cutBlocks = (
  given: ReadonlyArray<ToolContent>,
  max: number,
  keep: (whole: Buffer) => ReadOn | undefined,
): { readonly blocks: ReadonlyArray<ToolContent>; readonly bytes: number } | undefined => {
  const bytes = bytesOfBlocks(given)
  if (bytes <= max) return undefined
  const blocks = given.map(asText)
  const whole = Buffer.from(blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"))
  let room = max - Math.min(whole.length, Math.ceil(max / 2))
  let used = 0
  const tooLarge: Array<ToolContent> = []
  const shown = blocks.filter((block) => {
    if (block.type === "text") return true
    const size = bytesOf(block)
    const fits = size <= room
    if (fits) {
      room -= size
      used += size
    } else tooLarge.push(block)
    return fits
  })
  const said: ToolContent = { type: "text", text: leftOut(tooLarge) }
  // A bound that is too small even for the note is kept all the same.
  const note = tooLarge.length === 0 || bytesOf(said) + 1 > max - used ? [] : [said]
  const noteBytes = note.reduce((sum, block) => sum + bytesOf(block) + 1, 0)
  const textRoom = max - used - noteBytes
  if (whole.length <= textRoom) return { blocks: [...shown, ...note], bytes }
  const text = bothEnds(whole, textRoom, keep(whole))
  const others = shown.filter(({ type }) => type !== "text")
  return { blocks: [{ type: "text", text }, ...others, ...note], bytes }
}
