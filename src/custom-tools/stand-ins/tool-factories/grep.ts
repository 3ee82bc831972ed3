/** pi's `grep`: lines that match a pattern, in files that no `.gitignore` ignores. */
import { basename, join } from "node:path"
import { Type } from "@sinclair/typebox"
import { localFiles } from "../../../io/files.ts"
import { DEFAULT_MAX_BYTES, formatSize, GREP_MAX_LINE_LENGTH, truncateLine } from "../truncation.ts"
import {
  type FactoryOptions,
  type FactoryTool,
  factoryTool,
  type ListDetails,
  limitedList,
  textContent,
  wholeNumber,
} from "./factory-tool.ts"
import { lineMatcher } from "./line-search.ts"
import { entriesBelow, fileAt, resolvePath } from "./paths.ts"

const defaultLimit = 100
/** Larger files are skipped, and counted. */
const maxFileBytes = 32 * 1024 * 1024
/** A NUL in the first characters of a file marks it as binary. */
const probedCharacters = 8192

const parameters = Type.Object({
  pattern: Type.String({ description: "Regular expression, or text with literal" }),
  path: Type.Optional(
    Type.String({ description: "Folder or file to search (default: the working directory)" }),
  ),
  glob: Type.Optional(Type.String({ description: "Searches only files that it matches, such as '*.ts'" })),
  ignoreCase: Type.Optional(Type.Boolean({ description: "Takes both cases (default: false)" })),
  literal: Type.Optional(Type.Boolean({ description: "Takes the pattern as text (default: false)" })),
  context: Type.Optional(Type.Number({ description: "Lines to show around each match (default: 0)" })),
  limit: Type.Optional(
    Type.Number({ description: `How many matches to give at most (default: ${defaultLimit})` }),
  ),
})

/** How the tool accesses files. Folders are walked on this machine. */
export interface GrepOperations {
  /** Rejects, or throws, if nothing exists at the path. */
  isDirectory(path: string): Promise<boolean> | boolean
  readFile(path: string): Promise<string> | string
}

export interface GrepToolDetails extends ListDetails {
  readonly matchLimitReached?: number
  readonly linesTruncated?: boolean
}

class TooLarge extends Error {}

const localOperations: GrepOperations = {
  isDirectory: async (path) => {
    const { info } = await fileAt(path)
    if (info === undefined) throw new Error("ENOENT")
    return info.kind === "directory"
  },
  readFile: async (path) => {
    const { real, info } = await fileAt(path)
    // A device or a pipe could never end.
    if (info?.kind !== "file") return ""
    if (info.size > maxFileBytes) throw new TooLarge()
    return Buffer.from(await localFiles.read(real)).toString()
  },
}

interface SearchedFile {
  readonly shown: string
  /** Absolute. */
  readonly path: string
}

/** The files of a folder that a glob takes. */
async function* filesIn(
  folder: string,
  glob: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<SearchedFile, void> {
  const { default: picomatch } = await import("picomatch")
  const pattern = glob?.replace(/^(!?)(?:\.?\/)+/, "$1")
  const matches =
    pattern === undefined ? () => true : picomatch(pattern, { dot: true, basename: !pattern.includes("/") })
  const real = await localFiles.resolveLinks(folder)
  for await (const { path, kind } of entriesBelow(real, signal))
    if (kind === "file" && matches(path)) yield { shown: path, path: join(real, path) }
}

/** The lines of a text file; none of a binary one. */
const linesOf = (text: string): Array<string> => {
  if (text.slice(0, probedCharacters).includes("\0")) return []
  const lines = text.split(/\r\n?|\n/)
  // The empty text after a final newline is not a line.
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** The lines around matches, in order. Context shared by two matches is shown once. */
function* around(
  matches: ReadonlyArray<number>,
  context: number,
  total: number,
): Generator<{ readonly index: number; readonly mark: ":" | "-" }, void> {
  const found = new Set(matches)
  let next = 0
  for (const match of matches) {
    const end = Math.min(total, match + context + 1)
    for (let index = Math.max(next, match - context); index < end; index++)
      yield { index, mark: found.has(index) ? ":" : "-" }
    next = end
  }
}

/**
 * pi's `grep` for a working directory. Parameters: `pattern`, `path?` (default: the working directory), `glob?`,
 * `ignoreCase?`, `literal?`, `context?` (lines, default 0), `limit?` (matches, default 100). Returns lines as
 * `<path>:<number>: <line>`, context lines with `-` instead of `:`, cut to 500 characters each and to 50 KB. Rejects if
 * nothing exists at `path`, if the pattern is invalid, and if matching takes more than 2 seconds in one file. The published
 * tool runs ripgrep; this one searches by itself: patterns are JavaScript's, and files over 32 MB are skipped.
 */
export const createGrepTool = (
  cwd: string,
  { operations = localOperations }: FactoryOptions<GrepOperations> = {},
): FactoryTool<typeof parameters, GrepToolDetails | undefined> =>
  factoryTool({
    name: "grep",
    description: `Search files for a pattern. Gives the lines that match with path and number, past what .gitignore leaves out. Cut to ${defaultLimit} matches or ${DEFAULT_MAX_BYTES / 1024}KB, whichever comes first, and lines to ${GREP_MAX_LINE_LENGTH} characters.`,
    promptSnippet: "Search files for a pattern",
    parameters,
    run: async (params, signal) => {
      const { pattern, glob, ignoreCase = false, literal = false } = params
      const path = resolvePath(params.path || ".", cwd)
      let isFolder: boolean
      try {
        isFolder = await operations.isDirectory(path)
      } catch {
        throw new Error(`Path not found: ${path}`)
      }
      const find = lineMatcher(pattern, { ignoreCase, literal })
      const context = wholeNumber(params.context, 0, 0)
      const limit = wholeNumber(params.limit, defaultLimit, 1)
      const rows: Array<string> = []
      let rest = limit
      let hasMore = false
      let linesTruncated = false
      let tooLarge = 0
      /** An unreadable file counts as empty. */
      const read = async (file: string): Promise<string> => {
        try {
          return await operations.readFile(file)
        } catch (cause) {
          if (cause instanceof TooLarge) tooLarge++
          return ""
        }
      }
      for await (const file of isFolder ? filesIn(path, glob, signal) : [{ shown: basename(path), path }]) {
        const lines = linesOf(await read(file.path))
        const found = find(lines, rest + 1)
        hasMore = found.length > rest
        const matches = found.slice(0, rest)
        rest -= matches.length
        for (const { index, mark } of around(matches, context, lines.length)) {
          const { text, wasTruncated } = truncateLine(lines[index]!)
          linesTruncated ||= wasTruncated
          rows.push(`${file.shown}${mark}${index + 1}${mark} ${text}`)
        }
        if (hasMore) break
      }
      const notices = [
        hasMore && `${limit} matches limit reached. Use limit=${limit * 2} for more, or refine pattern`,
        linesTruncated &&
          `Some lines truncated to ${GREP_MAX_LINE_LENGTH} chars. Use read tool to see full lines`,
        tooLarge > 0 && `${tooLarge} file(s) over ${formatSize(maxFileBytes)} not searched`,
      ].filter((notice) => notice !== false)
      if (rows.length > 0) {
        const reached = {
          ...(hasMore && { matchLimitReached: limit }),
          ...(linesTruncated && { linesTruncated }),
        }
        return limitedList(rows, notices, reached)
      }
      const text = ["No matches found", ...notices.map((notice) => `[${notice}]`)].join("\n\n")
      return { content: textContent(text), details: undefined }
    },
  })
