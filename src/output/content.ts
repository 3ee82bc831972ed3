/** The content blocks of an output, in the shapes of the Model Context Protocol, and their validation. */

import { isPlainObject } from "../schema/plain-object.ts"

/** The properties that any block may have besides its content. They are passed on unchanged. */
export interface ContentNotes {
  /** Hints for hosts, such as `audience` and `priority`. */
  readonly annotations?: Readonly<Record<string, unknown>>
  /** The tool's own data. */
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** A block of text. */
export interface TextContent extends ContentNotes {
  readonly type: "text"
  readonly text: string
}

/** A block with an image. */
export interface ImageContent extends ContentNotes {
  readonly type: "image"
  /** The image's bytes in base64. */
  readonly data: string
  readonly mimeType: string
}

/** A block with a sound. */
export interface AudioContent extends ContentNotes {
  readonly type: "audio"
  /** The sound's bytes in base64. */
  readonly data: string
  readonly mimeType: string
}

/** The contents of an embedded resource: its text, or its bytes in base64. */
export type ResourceContents = {
  readonly uri: string
  readonly mimeType?: string
  readonly _meta?: Readonly<Record<string, unknown>>
} & (
  | { readonly text: string; readonly blob?: undefined }
  | { readonly blob: string; readonly text?: undefined }
)

/** A block with a whole resource, such as a file. */
export interface EmbeddedResource extends ContentNotes {
  readonly type: "resource"
  readonly resource: ResourceContents
}

/** A block that links to a resource, which the reader may fetch. */
export interface ResourceLink extends ContentNotes {
  readonly type: "resource_link"
  readonly uri: string
  readonly name: string
  /** For people. */
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  /** In bytes. */
  readonly size?: number
}

/** One block of the content for the model. */
export type ToolContent = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink

type Fields = Readonly<Record<string, unknown>>

const isOptional = (type: "string" | "number", value: unknown): boolean =>
  value === undefined || typeof value === type

/** The fault of a resource's contents, as the end of a sentence. */
const resourceFault = (resource: unknown): string | undefined => {
  if (!isPlainObject(resource)) return "needs a `resource`, an object"
  const { uri, mimeType, text, blob } = resource
  if (typeof uri !== "string") return "needs a `resource.uri`, a string"
  if (!isOptional("string", mimeType)) return "needs a string as its `resource.mimeType`"
  const hasOne = (typeof text === "string") !== (typeof blob === "string")
  return hasOne && isOptional("string", text) && isOptional("string", blob)
    ? undefined
    : "needs either `resource.text`, a string, or `resource.blob`, base64"
}

const linkFault = ({ uri, name, title, description, mimeType, size }: Fields): string | undefined => {
  if (typeof uri !== "string") return "needs a `uri`, a string"
  if (typeof name !== "string") return "needs a `name`, a string"
  if (![title, description, mimeType].every((each) => isOptional("string", each))) {
    return "needs strings as its `title`, `description` and `mimeType`"
  }
  return isOptional("number", size) ? undefined : "needs a number of bytes as its `size`"
}

const bytesFault = ({ data, mimeType }: Fields): string | undefined => {
  if (typeof data !== "string") return "needs its `data`, base64"
  return typeof mimeType === "string" ? undefined : "needs a `mimeType`, a string"
}

const ownFault = (block: Fields): string | undefined => {
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? undefined : "needs a `text`, a string"
    case "image":
    case "audio":
      return bytesFault(block)
    case "resource":
      return resourceFault(block.resource)
    case "resource_link":
      return linkFault(block)
    default:
      return "has a `type` that is none of text, image, audio, resource and resource_link"
  }
}

/** The fault of a block, as the end of a sentence that begins with its place; undefined if the block is valid. */
export const contentFault = (block: unknown): string | undefined => {
  if (!isPlainObject(block)) return "is no object"
  const fault = ownFault(block)
  if (fault !== undefined) return fault
  const { annotations, _meta } = block
  if (annotations !== undefined && !isPlainObject(annotations)) return "needs an object as its `annotations`"
  return _meta === undefined || isPlainObject(_meta) ? undefined : "needs an object as its `_meta`"
}

/** Whether a value is a valid block. */
export const isContent = (block: unknown): block is ToolContent => contentFault(block) === undefined
