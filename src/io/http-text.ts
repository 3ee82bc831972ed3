/**
 * Distinguishes text from binary content, and decodes text by its charset: a byte order mark, the header, a meta tag, or a
 * guess.
 */
import { TextDecoder } from "node:util"

/** How many bytes are examined for the type. */
const sniffedBytes = 1024

/** The first bytes of a body. The received bytes can be examined while more are read. */
export class BodyHead {
  /** Whether the whole body was read. */
  isComplete = false
  private readonly chunks: Array<Uint8Array> = []
  private size = 0
  private readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks).subarray(0, this.maxBytes)
  }

  /** Reads until one byte past the limit, then abandons the rest. */
  async readFrom(body: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of body) {
      this.chunks.push(chunk)
      this.size += chunk.length
      if (this.size > this.maxBytes) return
    }
    this.isComplete = true
  }
}

const mediaTypeOf = (contentType: string): string => contentType.split(";")[0]!.trim().toLowerCase()

/**
 * Whether a content type alone proves binary content. For all other types the bytes decide: servers use many types for text,
 * and know little about the files they send.
 */
export const isBinaryType = (contentType: string): boolean => {
  const type = mediaTypeOf(contentType)
  if (/\+(?:json|xml|yaml)$/.test(type)) return false
  return /^(?:image|audio|video|font)\/|^application\/(?:zip|pdf)$/.test(type)
}

const byteOrderMarks: ReadonlyArray<readonly [charset: string, mark: Buffer]> = [
  ["utf-8", Buffer.from([0xef, 0xbb, 0xbf])],
  ["utf-16le", Buffer.from([0xff, 0xfe])],
  ["utf-16be", Buffer.from([0xfe, 0xff])],
]

const charsetIn = (text: string): string | undefined =>
  /(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)/i.exec(text)?.[1]

/** The charset that an HTML or XML document declares, in its ASCII-compatible start. */
const charsetOfDocument = (head: string): string | undefined => {
  const declaration = /<\?xml[^>]*\?>/.exec(head)?.[0]
  if (declaration !== undefined) return charsetIn(declaration)
  for (const [tag] of head.matchAll(/<meta\s[^>]*>/gi)) {
    const charset = charsetIn(tag)
    // A readable meta tag cannot be in UTF-16.
    if (charset !== undefined) return charset.toLowerCase().startsWith("utf-16") ? "utf-8" : charset
  }
  return undefined
}

/** Returns undefined for an unknown charset. */
const decoderOf = (charset: string | undefined): TextDecoder | undefined => {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset)
  } catch {
    return undefined
  }
}

const isValidUtf8 = (bytes: Uint8Array, isComplete: boolean): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isComplete })
    return true
  } catch {
    return false
  }
}

const declaredDecoder = (bytes: Buffer, contentType: string): TextDecoder | undefined => {
  const marked = byteOrderMarks.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark))
  return (
    decoderOf(marked?.[0]) ??
    decoderOf(charsetIn(contentType)) ??
    decoderOf(charsetOfDocument(bytes.toString("latin1", 0, sniffedBytes)))
  )
}

/** The characters of windows-1252 at 0x80 to 0x9F. */
const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"

/** Replaces control characters with the quotes and dashes of windows-1252, which Node 20 decodes as ISO 8859-1. */
const withWindows1252 = (text: string): string =>
  text.replace(/[\x80-\x9f]/g, (control) => windows1252[control.charCodeAt(0) - 0x80]!)

/** Binary content starts with control characters, contains a NUL, or has many control characters. */
const looksBinary = (text: string, encoding: string): boolean => {
  // In UTF-16, almost any bytes are letters of some script; the invalid ones give binary content away.
  if (encoding.startsWith("utf-16") && text.includes("\uFFFD")) return true
  const controls = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/g
  if (text.slice(0, sniffedBytes).search(controls) >= 0 || text.includes("\0")) return true
  return (text.match(controls)?.length ?? 0) > text.length / 100
}

/** Returns undefined for binary content. Bytes that are invalid in their charset become U+FFFD. */
export const decodeText = ({ bytes, isComplete }: BodyHead, contentType: string): string | undefined => {
  const decoder =
    declaredDecoder(bytes, contentType) ??
    // Without a declaration: UTF-8 if the bytes are valid, else the default of browsers.
    new TextDecoder(isValidUtf8(bytes, isComplete) ? "utf-8" : "windows-1252")
  // A truncated character at the end is omitted.
  const decoded = decoder.decode(bytes, { stream: !isComplete })
  const text = decoder.encoding === "windows-1252" ? withWindows1252(decoded) : decoded
  return looksBinary(text, decoder.encoding) ? undefined : text
}
