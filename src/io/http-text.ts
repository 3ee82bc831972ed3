/** Tells text from binary content, and decodes text by its charset: a byte order mark, the header, a meta tag, or a guess. */
import { TextDecoder } from "node:util"

/** The part that is looked at to know what it is. */
const sniffedBytes = 1024

/** The first bytes of a body. What was received can be looked at while it is read. */
export class BodyHead {
  /** Whether that is all there is. */
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

  /** Reads until there is one byte more than it may keep, then leaves the rest. */
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
 * Whether a content type alone tells that this is no text. Of all others the bytes tell: servers call text many names,
 * and know little of the files that they send.
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

/** What an HTML or XML document says of itself, in the part that is ASCII in every charset that can say so. */
const charsetOfDocument = (head: string): string | undefined => {
  const declaration = /<\?xml[^>]*\?>/.exec(head)?.[0]
  if (declaration !== undefined) return charsetIn(declaration)
  for (const [tag] of head.matchAll(/<meta\s[^>]*>/gi)) {
    const charset = charsetIn(tag)
    // A meta tag that could be read was not written in UTF-16.
    if (charset !== undefined) return charset.toLowerCase().startsWith("utf-16") ? "utf-8" : charset
  }
  return undefined
}

/** Undefined for a charset that is not known. */
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

/** What windows-1252 has at 0x80 to 0x9F. */
const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"

/** Node 20 decodes windows-1252 as ISO 8859-1, which has control characters where that has quotes and dashes. */
const withWindows1252 = (text: string): string =>
  text.replace(/[\x80-\x9f]/g, (control) => windows1252[control.charCodeAt(0) - 0x80]!)

/** No text starts with control characters, has a zero anywhere, or many of the others. */
const looksBinary = (text: string, encoding: string): boolean => {
  // Nearly any bytes are letters of some script there. Some are not, and tell.
  if (encoding.startsWith("utf-16") && text.includes("\uFFFD")) return true
  const controls = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/g
  if (text.slice(0, sniffedBytes).search(controls) >= 0 || text.includes("\0")) return true
  return (text.match(controls)?.length ?? 0) > text.length / 100
}

/** Undefined for binary content. Bytes that are wrong in their charset become U+FFFD. */
export const decodeText = ({ bytes, isComplete }: BodyHead, contentType: string): string | undefined => {
  const decoder =
    declaredDecoder(bytes, contentType) ??
    // What was said by nobody is UTF-8 where it can be, and what browsers then take it for where it cannot.
    new TextDecoder(isValidUtf8(bytes, isComplete) ? "utf-8" : "windows-1252")
  // A cut character at the end of a part is left out.
  const decoded = decoder.decode(bytes, { stream: !isComplete })
  const text = decoder.encoding === "windows-1252" ? withWindows1252(decoded) : decoded
  return looksBinary(text, decoder.encoding) ? undefined : text
}
