/** Cuts text to a number of UTF-8 bytes, never through a character. */

/** The maximum size of a tool's output, in bytes of UTF-8. */
export const maxOutputBytes = 50_000

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** The first bytes that fit, whole characters only. */
export const headOfBytes = (bytes: Buffer, maxBytes: number): Buffer => {
  if (bytes.length <= maxBytes) return bytes
  let end = maxBytes
  while (end > 0 && maxBytes - end < 3 && isContinuation(bytes[end])) end--
  return bytes.subarray(0, end)
}

/** The start of a text, at most `maxBytes` of UTF-8. */
export const headOf = (text: string, maxBytes: number): string =>
  headOfBytes(Buffer.from(text), maxBytes).toString()

/** A text, or its start and `…` if it is longer than `maxBytes` of UTF-8. */
export const shortened = (text: string, maxBytes: number): string => {
  const head = headOf(text, maxBytes)
  return head.length === text.length ? text : `${head}…`
}

/** The bytes from this one on, or from the next one that begins a character. */
export const bytesFrom = (bytes: Buffer, offset: number): Buffer => {
  let start = offset
  while (isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}

/** The last bytes that fit, whole characters only. */
export const tailOfBytes = (bytes: Buffer, maxBytes: number): Buffer =>
  bytesFrom(bytes, Math.max(0, bytes.length - maxBytes))

/** The end of a text, at most `maxBytes` of UTF-8. */
export const tailOf = (text: string, maxBytes: number): string =>
  tailOfBytes(Buffer.from(text), maxBytes).toString()

/** Keeps the first and the last part of a text of any length; all of it if it fits into `limit` bytes of UTF-8. */
export class HeadAndTail {
  /** The total size of the text, in bytes of UTF-8. */
  totalBytes = 0
  private head = ""
  private headBytes = 0
  private tail: Array<{ readonly text: string; readonly bytes: number }> = []
  private tailBytes = 0
  private readonly headLimit: number
  private readonly tailLimit: number

  constructor(limit: number) {
    this.headLimit = Math.ceil(limit / 2)
    // The head may end up to a character short of its limit; the tail compensates.
    this.tailLimit = this.headLimit + 4
  }

  push(text: string): void {
    const bytes = Buffer.byteLength(text)
    this.totalBytes += bytes
    if (this.headBytes + bytes <= this.headLimit) {
      this.head += text
      this.headBytes += bytes
    } else if (this.headBytes < this.headLimit) {
      const first = headOf(text, this.headLimit - this.headBytes)
      this.head += first
      this.headBytes = this.headLimit
      this.pushTail(text.slice(first.length))
    } else {
      this.pushTail(text)
    }
  }

  /** The text, or its two ends with a line between them that reports the missing part. `maxBytes` is at most the limit. */
  render(maxBytes: number): string {
    const kept = this.head + this.tail.map((part) => part.text).join("")
    if (this.totalBytes <= maxBytes) return kept
    const first = headOf(this.head, Math.floor(maxBytes / 2))
    const last = tailOf(kept, Math.floor(maxBytes / 2))
    const missing = this.totalBytes - Buffer.byteLength(first) - Buffer.byteLength(last)
    return `${first}\n[${missing} bytes truncated]\n${last}`
  }

  private pushTail(text: string): void {
    if (text === "") return
    const bytes = Buffer.byteLength(text)
    this.tail.push({ text, bytes })
    this.tailBytes += bytes
    while (this.tailBytes - this.tail[0]!.bytes >= this.tailLimit) this.tailBytes -= this.tail.shift()!.bytes
  }
}
