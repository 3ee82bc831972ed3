/** Reads lines of UTF-8. A line that is too long, or no UTF-8, is told as such and costs no memory. */

/** A line, or what is wrong with it. */
export type ReadLine = { readonly text: string } | { readonly fault: string }

/** A model's call may bring a file along, but not a film. */
const defaultMaxBytes = 64 * 1024 * 1024

const newline = 0x0a

class LineBuffer {
  private readonly decoder = new TextDecoder("utf-8", { fatal: true })
  private readonly maxBytes: number
  private parts: Array<Buffer> = []
  private length = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  add(part: Buffer): void {
    this.length += part.length
    if (this.length > this.maxBytes) this.parts = []
    else this.parts.push(part)
  }

  /** The line that has ended; undefined for an empty one. */
  take(): ReadLine | undefined {
    const { parts, length } = this
    this.parts = []
    this.length = 0
    if (length > this.maxBytes) {
      return { fault: `The line has ${length} bytes; the most that a line may have are ${this.maxBytes}.` }
    }
    try {
      const text = this.decoder.decode(Buffer.concat(parts)).trim()
      return text === "" ? undefined : { text }
    } catch {
      return { fault: "The line is no UTF-8." }
    }
  }
}

/** The lines of an input, until it ends; what stands behind the last newline counts as one. Empty lines are left out. */
export async function* readLines(
  input: AsyncIterable<Buffer>,
  maxBytes = defaultMaxBytes,
): AsyncGenerator<ReadLine, void> {
  const buffer = new LineBuffer(maxBytes)
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      buffer.add(chunk.subarray(start, end))
      start = end + 1
      const line = buffer.take()
      if (line !== undefined) yield line
    }
    buffer.add(chunk.subarray(start))
  }
  const last = buffer.take()
  if (last !== undefined) yield last
}
