/** Converts content blocks to those of Effect's language models, and back. */

import * as Prompt from "effect/ai/Prompt"
import * as Base64 from "effect/encoding/Base64"
import type { ToolContent } from "../output/content.ts"

const filePart = (mediaType: string, data: string): Prompt.FilePart => Prompt.filePart({ mediaType, data })

const textPart = (text: string): Prompt.TextPart => Prompt.textPart({ text })

/** A block as a part of a tool's result. */
export const toPart = (block: ToolContent): Prompt.ToolModelOutputPart => {
  switch (block.type) {
    case "text":
      return textPart(block.text)
    case "image":
    case "audio":
      return filePart(block.mimeType, block.data)
    case "resource": {
      const { text, blob, mimeType } = block.resource
      return text === undefined ? filePart(mimeType ?? "application/octet-stream", blob) : textPart(text)
    }
    case "resource_link":
      return textPart(`${block.name}: ${block.uri}`)
  }
}

/** A part of a tool's result as a block. */
export const fromPart = (part: Prompt.ToolModelOutputPart): ToolContent => {
  if (part.type === "text") return { type: "text", text: part.text }
  const { mediaType: mimeType, fileName: name = "file" } = part
  if (part.data instanceof URL) return { type: "resource_link", uri: part.data.href, name, mimeType }
  const data = typeof part.data === "string" ? part.data : Base64.encode(part.data)
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType }
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType }
  return { type: "resource", resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType, blob: data } }
}
