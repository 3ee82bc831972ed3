/** Outputs numbered lines of a text file. Memory is bounded for files and lines of any length. */
import { type Files, localFiles } from "../io/files.ts"
import { type LineSlice, readLines } from "../io/line-range.ts"
import type { EffectHandler } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"
import { maxOutputBytes } from "../text/truncation.ts"
import { fileHandler } from "./file-handler.ts"
import { expectFile } from "./validate-file.ts"

/** Which lines of which file to read. */
export interface ReadFileOptions {
  /** Relative paths start at the executor's `cwd`. */
  readonly path: string
  /** 1-based. Default 1. */
  readonly startLine?: number
  /** 1-based, inclusive; -1, the default, is the end of the file. */
  readonly endLine?: number
}

const gutterOf = (line: number): string => `${String(line).padStart(4)}│`

/** Bytes of the gutter, whose `│` takes three, and the newline. */
const overhead = (line: number): number => gutterOf(line).length + 3

const checkRange = (first: number, endLine: number): void => {
  if (!Number.isSafeInteger(first) || first < 1) {
    throw new ToolError(`start_line must be 1 or more, got ${first}. Lines are numbered from 1.`)
  }
  if (!Number.isSafeInteger(endLine) || endLine === 0 || endLine < -1) {
    throw new ToolError(`end_line must be 1 or more, or -1 for the end of the file, got ${endLine}.`)
  }
  if (endLine !== -1 && endLine < first) {
    throw new ToolError(`start_line ${first} is after end_line ${endLine}. Swap them.`)
  }
}

const problemOf = (path: string, { kind, line }: NonNullable<LineSlice["problem"]>): string =>
  kind === "binary"
    ? `${path} is a binary file (it holds NUL bytes), not text. Look at it with the shell tool, for example with file or xxd.`
    : `${path} is not valid UTF-8 text (line ${line}). Convert it first, for example with iconv in the shell tool.`

const noteOf = ({ lines, cut }: LineSlice, first: number, size: number): string => {
  const next = first + lines.length
  return cut === "line"
    ? `[truncated: line ${first} is too long, this is its beginning; the file has ${size} bytes. Continue with start_line ${next}]`
    : `[truncated: lines ${first} to ${next - 1} of a file of ${size} bytes. Continue with start_line ${next}]`
}

const render = (slice: LineSlice, first: number, size: number): string => {
  const numbered = slice.lines.map((line, index) => gutterOf(first + index) + line)
  if (slice.cut !== undefined) numbered.push(noteOf(slice, first, size))
  return numbered.join("\n")
}

/** Outputs lines as `   1│text`. The output is cut after 50,000 bytes, with a note about where to continue. */
export const ReadFile = (options: ReadFileOptions, files: Files = localFiles): EffectHandler => {
  const { path, startLine: first = 1, endLine = -1 } = options
  return fileHandler("ReadFile", files, path, async (location, _context, signal) => {
    checkRange(first, endLine)
    const size = await expectFile(files, location)
    const last = endLine === -1 ? Number.POSITIVE_INFINITY : endLine
    const range = { first, last, maxBytes: maxOutputBytes, overhead, signal }
    const slice = await readLines(files.chunks(location.real), range)
    if (slice.problem !== undefined) return Step.Error(problemOf(path, slice.problem))
    if (slice.total === 0 && first === 1) return Step.Output("(empty file)")
    if (slice.total !== undefined && slice.total < first) {
      return Step.Error(`start_line ${first} is past the end of ${path}, which has ${slice.total} lines.`)
    }
    return Step.Output(render(slice, first, size))
  })
}
