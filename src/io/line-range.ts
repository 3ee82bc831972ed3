/**
 * Reads some lines of a file of any size in bounded memory: earlier lines are only counted, and nothing after them is read.
 * Lines end with LF or CRLF; line ends and a byte order mark are not returned.
 */
import { headOfBytes } from "../text/truncation.ts"

/** Which lines of a file to read, and how much of them. */
export interface LineRange {
  /** 1-based. */
  readonly first: number
  /** Inclusive; Infinity for the end. */
  readonly last: number
  /** Maximum size of all lines, including the `overhead` of each. */
  readonly maxBytes: number
  /** The bytes that a line needs in addition to its text, by line number. */
  readonly overhead: (line: number) => number
  readonly signal?: AbortSignal
}

/** The lines that were read. */
export interface LineSlice {
  readonly lines: ReadonlyArray<string>
  /** How many lines the file has; set if its end was reached. */
  readonly total?: number
  /**
   * `range`: only the first of the requested lines fit; `line`: the first line alone is too long, and its beginning is
   * returned.
   */
  readonly cut?: "range" | "line"
  /** Why the file is not text. */
  readonly problem?: LineProblem
}

/** Why a file could not be read as text, and at which line. */
export interface LineProblem {
  readonly kind: "binary" | "encoding"
  readonly line: number
}

const newline = 10
const carriageReturn = 13
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
/** A NUL in the first bytes of a file marks it as binary, as in other tools. */
const probedBytes = 8192

/** Builds the requested lines from pieces whose memory is reused afterwards. */
class LineCollector {
  readonly lines: Array<string> = []
  cut: LineSlice["cut"]
  problem: LineProblem | undefined
  private readonly decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  private readonly range: LineRange
  private room: number
  private pieces: Array<Buffer> = []
  private bytes = 0

  constructor(range: LineRange) {
    this.range = range
    this.room = range.maxBytes
  }

  get isDone(): boolean {
    return this.cut !== undefined || this.problem !== undefined
  }

  /** Adds to the current line, until the line is too long. */
  add(piece: Buffer, line: number): void {
    // Keep only enough to detect an overflow: a byte order mark (3), a carriage return (1) and one more byte.
    const enough = this.room + 5
    this.pieces.push(Buffer.from(piece.subarray(0, enough)))
    this.bytes += piece.length
    if (this.bytes > enough) this.endLine(line)
  }

  endLine(line: number): void {
    if (this.isDone) return
    let bytes: Buffer = Buffer.concat(this.pieces)
    this.pieces = []
    this.bytes = 0
    if (line === 1 && bytes.subarray(0, 3).equals(byteOrderMark)) bytes = bytes.subarray(3)
    if (bytes.at(-1) === carriageReturn) bytes = bytes.subarray(0, -1)
    this.room -= this.range.overhead(line)
    if (bytes.length > this.room) {
      this.cut = this.lines.length > 0 ? "range" : "line"
      if (this.cut === "range") return
      bytes = headOfBytes(bytes, this.room)
    }
    this.room -= bytes.length
    if (bytes.includes(0)) this.problem = { kind: "binary", line }
    else this.decode(bytes, line)
  }

  private decode(bytes: Buffer, line: number): void {
    try {
      this.lines.push(this.decoder.decode(bytes))
    } catch {
      this.problem = { kind: "encoding", line }
    }
  }
}

/** Reads a range of lines. Rejects with the signal's reason on abort, and with errors of the chunks. */
export const readLines = async (chunks: AsyncIterable<Uint8Array>, range: LineRange): Promise<LineSlice> => {
  const collector = new LineCollector(range)
  let line = 1
  let lineIsOpen = false
  let offset = 0
  let nulAt = Number.POSITIVE_INFINITY

  /** Returns the offset at which reading ended, or undefined if it continues. */
  const readChunk = (chunk: Buffer): number | undefined => {
    for (let start = 0; start < chunk.length; start++) {
      const found = chunk.indexOf(newline, start)
      const end = found === -1 ? chunk.length : found
      lineIsOpen = found === -1
      if (line >= range.first) {
        collector.add(chunk.subarray(start, end), line)
        if (!lineIsOpen) collector.endLine(line)
        if (collector.isDone || (!lineIsOpen && line === range.last)) return end
      }
      if (!lineIsOpen) line++
      start = end
    }
    return undefined
  }

  const result = (total?: number): LineSlice => {
    const { lines, cut } = collector
    // A NUL after the requested lines does not matter.
    const problem = nulAt < offset ? { kind: "binary" as const, line: 1 } : collector.problem
    return {
      lines,
      ...(total !== undefined && { total }),
      ...(cut !== undefined && { cut }),
      ...(problem !== undefined && { problem }),
    }
  }

  for await (const bytes of chunks) {
    range.signal?.throwIfAborted()
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (offset < probedBytes) {
      const at = chunk.subarray(0, probedBytes - offset).indexOf(0)
      if (at !== -1) nulAt = Math.min(nulAt, offset + at)
    }
    const endedAt = readChunk(chunk)
    offset += endedAt ?? chunk.length
    if (endedAt !== undefined || nulAt < offset) return result()
  }
  if (lineIsOpen && line >= range.first) collector.endLine(line)
  return result(lineIsOpen ? line : line - 1)
}
