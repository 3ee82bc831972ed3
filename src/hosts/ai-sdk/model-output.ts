/** A tool's result for the model, in the shapes of the AI SDK. */
import type { ToolContent } from "../../output/content.ts"
import { textOf } from "../../output/output.ts"
import { isAllText, type LoopResult, resourceText, toldBlocks } from "../agent-loop/agent-loop.ts"

/** Media, in the shape of AI SDK 7. */
interface FilePart {
  readonly type: "file"
  readonly mediaType: string
  readonly data: { readonly type: "data"; readonly data: string }
}

/** Media, in the shapes of AI SDK 6. */
interface DataPart {
  readonly type: "image-data" | "file-data"
  readonly data: string
  readonly mediaType: string
}

type ContentPart = { readonly type: "text"; readonly text: string } | FilePart | DataPart

/** A tool's part of a message: what it has streamed so far, then its result. Plain JSON. */
export type AiSdkOutput = { readonly status: "running"; readonly content: string } | LoopResult

/** The output of a tool result, as in the SDK's messages. */
export type AiSdkModelOutput =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "execution-denied"; readonly reason: string }
  | { readonly type: "content"; readonly value: Array<ContentPart> }

const mediaPart = (isSeven: boolean, data: string, mediaType: string): FilePart | DataPart => {
  if (isSeven) return { type: "file", mediaType, data: { type: "data", data } }
  return { type: mediaType.startsWith("image/") ? "image-data" : "file-data", data, mediaType }
}

const partOf = (isSeven: boolean, block: ToolContent): ContentPart => {
  if (block.type === "text") return { type: "text", text: block.text }
  if (block.type === "image" || block.type === "audio") return mediaPart(isSeven, block.data, block.mimeType)
  if (block.type === "resource" && block.resource.blob !== undefined) {
    return mediaPart(isSeven, block.resource.blob, block.resource.mimeType ?? "application/octet-stream")
  }
  return { type: "text", text: resourceText(block) }
}

/** The text or content of a tool's part of a message for the model. */
export const modelOutput = (result: AiSdkOutput, isSeven: boolean): AiSdkModelOutput => {
  // A message whose stream was cut keeps what the call had put out, and no result.
  if (result.status === "running")
    return {
      type: "error-text",
      value: `The call was interrupted. Its output so far:\n${result.content}`,
    }
  if (result.status === "denied") return { type: "execution-denied", reason: result.content }
  const blocks = toldBlocks(result)
  if (!isAllText(blocks)) return { type: "content", value: blocks.map((block) => partOf(isSeven, block)) }
  return { type: result.isError ? "error-text" : "text", value: textOf({ content: blocks }) }
}
