/**
 * Cuts tool output to a number of lines and of UTF-8 bytes, whichever comes first. `truncateHead` has two published
 * meanings: an object of limits (or none) keeps the start and reports; a number keeps the end and returns a string.
 */
import { tailOf } from "../../text/truncation.ts"

/** The default number of lines that tools return. */
export const DEFAULT_MAX_LINES = 2000
/** The default number of bytes that tools return. */
export const DEFAULT_MAX_BYTES = 50 * 1024
/** Maximum characters of a line in search results. */
export const GREP_MAX_LINE_LENGTH = 500

/** The limits of a truncation. */
export interface TruncationOptions {
  /** Default 2000. */
  readonly maxLines?: number
  /** Default 51,200. */
  readonly maxBytes?: number
}

/** The kept part of a text, and its original size. */
export interface TruncationResult {
  readonly content: string
  readonly truncated: boolean
  /** Which limit was reached. */
  readonly truncatedBy: "lines" | "bytes" | null
  /** Newlines separate lines, so a text that ends with one has an empty last line. */
  readonly totalLines: number
  readonly totalBytes: number
  readonly outputLines: number
  readonly outputBytes: number
  /** Whether the content is the end of one line that is too long. */
  readonly lastLinePartial: boolean
  /** Whether there is no content because the first line is too long. */
  readonly firstLineExceedsLimit: boolean
  readonly maxLines: number
  readonly maxBytes: number
}

/** Formats a number of bytes for people: `812B`, `50.0KB`, `1.2MB`. */
export const formatSize = (bytes: number): string => {
  if (bytes < 1024) return `${bytes}B`
  const kilobytes = bytes / 1024
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)}KB` : `${(kilobytes / 1024).toFixed(1)}MB`
}

/** As many of the lines, in order, as fit, including newlines. */
const fitting = (lines: ReadonlyArray<string>, maxLines: number, maxBytes: number): Array<string> => {
  const kept: Array<string> = []
  let room = maxBytes + 1
  for (const line of lines) {
    room -= Buffer.byteLength(line) + 1
    if (kept.length >= maxLines || room < 0) break
    kept.push(line)
  }
  return kept
}

const truncate = (text: string, options: TruncationOptions, end: "head" | "tail"): TruncationResult => {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = options
  const lines = text.split("\n")
  const totalBytes = Buffer.byteLength(text)
  const truncated = lines.length > maxLines || totalBytes > maxBytes
  const firstLineExceedsLimit = truncated && end === "head" && Buffer.byteLength(lines[0]!) > maxBytes
  const kept = !truncated
    ? lines
    : end === "head"
      ? fitting(lines, maxLines, maxBytes)
      : fitting(lines.toReversed(), maxLines, maxBytes).reverse()
  const lastLinePartial = truncated && end === "tail" && kept.length === 0 && maxLines > 0
  if (lastLinePartial) kept.push(tailOf(lines.at(-1)!, maxBytes))
  const content = kept.join("\n")
  return {
    content,
    truncated,
    truncatedBy: !truncated ? null : kept.length >= maxLines && !firstLineExceedsLimit ? "lines" : "bytes",
    totalLines: lines.length,
    totalBytes,
    outputLines: kept.length,
    outputBytes: Buffer.byteLength(content),
    lastLinePartial,
    firstLineExceedsLimit,
    maxLines,
    maxBytes,
  }
}

/** Keeps the start, whole lines only. */
export function truncateHead(text: string, options?: TruncationOptions): TruncationResult
/** Keeps the last `maxBytes` bytes, whole characters only. */
export function truncateHead(text: string, maxBytes: number): string
export function truncateHead(
  text: string,
  limit: TruncationOptions | number = {},
): TruncationResult | string {
  return typeof limit === "number" ? tailOf(text, limit) : truncate(text, limit, "head")
}

/** Keeps the end, whole lines only; if the last line alone is too long, its end. */
export const truncateTail = (text: string, options: TruncationOptions = {}): TruncationResult =>
  truncate(text, options, "tail")

/** Keeps the first `maxChars` characters of a line (default 500), never half of a surrogate pair. */
export const truncateLine = (
  line: string,
  maxChars: number = GREP_MAX_LINE_LENGTH,
): { readonly text: string; readonly wasTruncated: boolean } => {
  if (line.length <= maxChars) return { text: line, wasTruncated: false }
  const head = line.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, "")
  return { text: `${head}... [truncated]`, wasTruncated: true }
}
