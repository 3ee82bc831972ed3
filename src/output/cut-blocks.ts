/**
 * Cuts the blocks of a result to the size that the model may receive: text keeps its start and its end, other blocks stay or are
 * left out.
 */
import { headOfBytes, tailOfBytes } from "../text/truncation.ts"
import type { ToolContent } from "./content.ts"

/** The default size of a result that the model receives, in bytes of UTF-8. */
export const defaultOutputBytes = 50_000

/** Returns the part of the sentence in the gap that explains how to continue reading the text from a byte. */
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

/** The bytes of blocks, with texts joined by newlines. */
export const bytesOfBlocks = (blocks: ReadonlyArray<ToolContent>): number =>
  blocks.reduce((sum, block) => sum + bytesOf(block), 0) +
  Math.max(0, blocks.filter(({ type }) => type === "text").length - 1)

/** A block whose text can be cut and continued; includes the text of a resource. */
const asText = (block: ToolContent): ToolContent =>
  block.type === "resource" && block.resource.text !== undefined
    ? { type: "text", text: block.resource.text }
    : block

const gap = (left: number, readOn: string): string => `\n[… ${left} bytes left out${readOn} …]\n`

/** Both ends of a text, with a note between them of how much is left out. Only the start if the note does not fit. */
const bothEnds = (whole: Buffer, room: number, readOn: ReadOn | undefined): string => {
  for (const told of [readOn, undefined]) {
    const on = (offset: number) => told?.(offset) ?? ""
    // No number in the note is longer than this one.
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
 * The blocks that fit into `max` bytes of UTF-8, and the size of all of them; undefined if all fit. Text gets half of the room if
 * it needs that much, and other blocks, each whole or left out, the rest. `keep` is called with a text that is cut: it keeps the
 * full text, and returns how to continue reading it.
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
  // A limit that is too small even for the note still applies.
  const note = tooLarge.length === 0 || bytesOf(said) + 1 > max - used ? [] : [said]
  const noteBytes = note.reduce((sum, block) => sum + bytesOf(block) + 1, 0)
  const textRoom = max - used - noteBytes
  if (whole.length <= textRoom) return { blocks: [...shown, ...note], bytes }
  const text = bothEnds(whole, textRoom, keep(whole))
  const others = shown.filter(({ type }) => type !== "text")
  return { blocks: [{ type: "text", text }, ...others, ...note], bytes }
}
