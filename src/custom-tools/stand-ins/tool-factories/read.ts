/** pi's `read`: lines of a text file, or an image. */
import { StringDecoder } from "node:string_decoder"
import { Type } from "@sinclair/typebox"
import { expectFile } from "../../../handlers/validate-file.ts"
import { localFiles } from "../../../io/files.ts"
import type { AgentToolResult } from "../../custom-tool.ts"
import type { ExtensionContext } from "../../extension.ts"
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, type TruncationResult } from "../truncation.ts"
import {
  type FactoryOptions,
  type FactoryTool,
  factoryTool,
  type ListDetails,
  textContent,
  wholeNumber,
} from "./factory-tool.ts"
import { LineWindow } from "./line-window.ts"
import { fileAt, resolvePath } from "./paths.ts"

const parameters = Type.Object({
  path: Type.String({ description: "File to read, relative or absolute" }),
  offset: Type.Optional(Type.Number({ description: "First line to read, counted from 1" })),
  limit: Type.Optional(Type.Number({ description: "How many lines to read at most" })),
})

/** How the tool accesses files. */
export interface ReadOperations {
  readFile(path: string): Promise<Buffer>
  /** Rejects if the file cannot be read. */
  access(path: string): Promise<void>
  /** Returns null or undefined for anything but an image. */
  detectImageMimeType?(path: string): Promise<string | null | undefined>
}

export interface ReadToolOptions extends FactoryOptions<ReadOperations> {
  /** Ignored: images are returned unchanged or, above 4.5 MB of base64, omitted, because they cannot be resized here. */
  readonly autoResizeImages?: boolean
}

type ReadResult = AgentToolResult<ListDetails | undefined>

/** Maximum size of an image for models, in bytes of base64. */
const maxImageBytes = 4.5 * 1024 * 1024

interface Opened {
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  readonly mimeType: string | undefined
  /** In bytes. */
  readonly size: number
}

const startsWith = (bytes: Uint8Array, text: string, offset = 0): boolean =>
  Buffer.from(bytes.subarray(offset, offset + text.length)).toString("latin1") === text

/** The MIME type of an image that models accept, by its first bytes. */
const imageTypeOf = (bytes: Uint8Array): string | undefined => {
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n")) return "image/png"
  if (startsWith(bytes, "\xff\xd8\xff")) return "image/jpeg"
  if (startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")) return "image/gif"
  return startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8) ? "image/webp" : undefined
}

const openLocal = async (path: string, absolute: string): Promise<Opened> => {
  const { real, info } = await fileAt(absolute)
  // The message names no tool, because tools that list folders have different names in each agent.
  if (info?.kind === "directory") {
    throw new Error(`${path} is a directory, not a file. List what it holds, and read a file in it.`)
  }
  const size = await expectFile(localFiles, { path, real })
  let mimeType: string | undefined
  for await (const chunk of localFiles.chunks(real)) {
    mimeType = imageTypeOf(chunk)
    break
  }
  return { chunks: localFiles.chunks(real), mimeType, size }
}

const openWith = async (operations: ReadOperations, absolute: string): Promise<Opened> => {
  await operations.access(absolute)
  const mimeType = (await operations.detectImageMimeType?.(absolute)) ?? undefined
  const bytes = await operations.readFile(absolute)
  return { chunks: [bytes], mimeType, size: bytes.length }
}

const takesImages = (ctx: ExtensionContext | undefined): boolean => {
  const input = (ctx?.model as { input?: unknown } | undefined)?.input
  return !Array.isArray(input) || input.includes("image")
}

const readImage = async (
  { chunks, size }: Opened,
  mimeType: string,
  ctx: ExtensionContext | undefined,
): Promise<ReadResult> => {
  const notes = [`Read image file [${mimeType}]`]
  const isTooLarge = (size * 4) / 3 > maxImageBytes
  if (isTooLarge) notes.push(`[Image omitted: ${formatSize(size)} is more than a model takes.]`)
  if (!takesImages(ctx)) notes.push("[The current model does not take images. It will not see this one.]")
  const text = textContent(notes.join("\n"))
  if (isTooLarge) return { content: text }
  const bytes: Array<Uint8Array> = []
  // Copy, because a chunk is only valid until the next one.
  for await (const chunk of chunks) bytes.push(Uint8Array.from(chunk))
  return { content: [...text, { type: "image", data: Buffer.concat(bytes).toString("base64"), mimeType }] }
}

/** The note after the lines: where to continue, if they are not all. */
const noteOf = (window: LineWindow, truncation: TruncationResult, start: number): string => {
  const { totalLines } = window
  const { truncated, truncatedBy, outputLines } = truncation
  const shown = truncated ? outputLines : window.lines
  const next = start + shown + 1
  if (truncated) {
    const limit = truncatedBy === "bytes" ? ` (${formatSize(DEFAULT_MAX_BYTES)} limit)` : ""
    return `\n\n[Showing lines ${start + 1}-${next - 1} of ${totalLines}${limit}. Use offset=${next} to continue.]`
  }
  const more = totalLines - start - shown
  return more === 0 ? "" : `\n\n[${more} more lines in file. Use offset=${next} to continue.]`
}

const readText = async (
  { chunks }: Opened,
  { path, offset, limit }: { readonly path: string; readonly offset?: number; readonly limit?: number },
  signal: AbortSignal | undefined,
): Promise<ReadResult> => {
  const start = wholeNumber(offset, 1, 1) - 1
  const window = new LineWindow(start, wholeNumber(limit, Number.POSITIVE_INFINITY, 0))
  const decoder = new StringDecoder("utf8")
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    window.push(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
  }
  window.push(decoder.end())
  if (start >= window.totalLines) {
    throw new Error(`Offset ${offset} is beyond end of file (${window.totalLines} lines total)`)
  }
  const truncation = window.truncation()
  const details = truncation.truncated ? { truncation } : undefined
  if (truncation.firstLineExceedsLimit) {
    const size = formatSize(window.firstLineBytes)
    const command = `sed -n '${start + 1}p' ${path} | head -c ${DEFAULT_MAX_BYTES}`
    const text = `[Line ${start + 1} is ${size}, exceeds ${formatSize(DEFAULT_MAX_BYTES)} limit. Use bash: ${command}]`
    return { content: textContent(text), details }
  }
  return { content: textContent(truncation.content + noteOf(window, truncation, start)), details }
}

/** pi's `read` for a working directory. */
export const createReadTool = (
  cwd: string,
  { operations }: ReadToolOptions = {},
): FactoryTool<typeof parameters, ListDetails | undefined> =>
  factoryTool({
    name: "read",
    description: `Read a file: text, or an image (jpg, png, gif, webp), which is attached. Text is cut to ${DEFAULT_MAX_LINES} lines or ${DEFAULT_MAX_BYTES / 1024}KB, whichever comes first; go on with offset and limit until you have what you need.`,
    promptSnippet: "Read files",
    parameters,
    run: async (params, signal, ctx) => {
      const absolute = resolvePath(params.path, cwd)
      const opened =
        operations === undefined
          ? await openLocal(params.path, absolute)
          : await openWith(operations, absolute)
      return opened.mimeType === undefined
        ? readText(opened, params, signal)
        : readImage(opened, opened.mimeType, ctx)
    },
  })
