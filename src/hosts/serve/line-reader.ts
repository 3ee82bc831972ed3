/** Reads lines of UTF-8. A line that is too long, or not UTF-8, is reported as a fault and costs no memory. */

/** A line, or its fault. */
export type ReadLine = { readonly text: string } | { readonly fault: string }

/** Enough for a call that contains a file. */
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

  /** Returns the line that has ended; undefined for an empty one. */
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

/** Splits input into lines. */
export class LineSplitter {
  private readonly buffer: LineBuffer

  /** @param maxBytes The maximum length of a line. */
  constructor(maxBytes = defaultMaxBytes) {
    this.buffer = new LineBuffer(maxBytes)
  }

  /** The lines that end in the next chunk, without empty ones. */
  *add(chunk: Buffer): Generator<ReadLine, void> {
    const { buffer } = this
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      buffer.add(chunk.subarray(start, end))
      start = end + 1
      const line = buffer.take()
      if (line !== undefined) yield line
    }
    buffer.add(chunk.subarray(start))
  }

  /** The text after the last newline counts as a line. */
  end(): ReadLine | undefined {
    return this.buffer.take()
  }
}

/** The lines of an input, until it ends. */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<ReadLine, void> {
  const lines = new LineSplitter()
  for await (const chunk of input) yield* lines.add(chunk)
  const last = lines.end()
  if (last !== undefined) yield last
}
