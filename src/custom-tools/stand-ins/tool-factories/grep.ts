/** pi's `grep`: lines that match a pattern, in files that no `.gitignore` ignores. */
import { basename, join } from "node:path"
import { Type } from "@sinclair/typebox"
import { localFiles } from "../../../io/files.ts"
import { walkFolder } from "../../../io/walk-folder.ts"
import { DEFAULT_MAX_BYTES, formatSize, GREP_MAX_LINE_LENGTH, truncateLine } from "../truncation.ts"
import { type FactoryTool, textContent } from "./factory-tool.ts"
import { type ListDetails, limitedList } from "./limited-list.ts"
import { lineMatcher } from "./line-search.ts"
import { resolvePath, slashed } from "./paths.ts"
import { unlessAborted } from "./unless-aborted.ts"
import { wholeNumber } from "./whole-number.ts"

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

export interface GrepToolOptions {
  /** Default: this machine's files. */
  readonly operations?: GrepOperations
}

export interface GrepToolDetails extends ListDetails {
  readonly matchLimitReached?: number
  readonly linesTruncated?: boolean
}

class TooLarge extends Error {}

const localOperations: GrepOperations = {
  isDirectory: async (path) => {
    const info = await localFiles.stat(await localFiles.resolveLinks(path))
    if (info === undefined) throw new Error("ENOENT")
    return info.kind === "directory"
  },
  readFile: async (path) => {
    const real = await localFiles.resolveLinks(path)
    const info = await localFiles.stat(real)
    // A device or a pipe could never end.
    if (info?.kind !== "file") return ""
    if (info.size > maxFileBytes) throw new TooLarge()
    return Buffer.from(await localFiles.read(real)).toString()
  },
}

const unwalked: ReadonlySet<string> = new Set([".git"])

/** Yields the files to search: the shown path and the absolute one. */
async function* filesIn(
  folder: string,
  glob: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly shown: string; readonly path: string }, void> {
  const { default: picomatch } = await import("picomatch")
  const pattern = glob?.replace(/^(!?)(?:\.?\/)+/, "$1")
  const matches =
    pattern === undefined ? () => true : picomatch(pattern, { dot: true, basename: !pattern.includes("/") })
  const real = await localFiles.resolveLinks(folder)
  for await (const { path, kind } of walkFolder(localFiles, { folder: real, top: real, unwalked, signal })) {
    const shown = slashed(path)
    if (kind === "file" && matches(shown)) yield { shown, path: join(real, path) }
  }
}

class Search {
  readonly rows: Array<string> = []
  /** Whether there are matches beyond the limit. */
  hasMore = false
  private matches = 0
  private tooLarge = 0
  private linesTruncated = false
  private readonly find: ReturnType<typeof lineMatcher>
  private readonly around: number
  private readonly limit: number
  private readonly operations: GrepOperations

  constructor(
    find: ReturnType<typeof lineMatcher>,
    around: number,
    limit: number,
    operations: GrepOperations,
  ) {
    this.find = find
    this.around = around
    this.limit = limit
    this.operations = operations
  }

  async addFile(path: string, shown: string): Promise<void> {
    const text = await this.read(path)
    if (text.slice(0, probedCharacters).includes("\0")) return
    const lines = text.split(/\r\n?|\n/)
    // The empty text after a final newline is not a line.
    if (lines.at(-1) === "") lines.pop()
    const rest = this.limit - this.matches
    const found = this.find(lines, rest + 1)
    this.hasMore = found.length > rest
    const matches = new Set(found.slice(0, rest))
    this.matches += matches.size
    // Context shared by two matches is shown once.
    let next = 0
    for (const match of matches) {
      const end = Math.min(lines.length, match + this.around + 1)
      for (let index = Math.max(next, match - this.around); index < end; index++)
        this.addRow(shown, index, lines[index]!, matches.has(index))
      next = end
    }
  }

  get notices(): Array<string> {
    const notices: Array<string> = []
    if (this.hasMore) {
      notices.push(
        `${this.limit} matches limit reached. Use limit=${this.limit * 2} for more, or refine pattern`,
      )
    }
    if (this.linesTruncated) {
      notices.push(`Some lines truncated to ${GREP_MAX_LINE_LENGTH} chars. Use read tool to see full lines`)
    }
    if (this.tooLarge > 0)
      notices.push(`${this.tooLarge} file(s) over ${formatSize(maxFileBytes)} not searched`)
    return notices
  }

  get details(): GrepToolDetails {
    return {
      ...(this.hasMore && { matchLimitReached: this.limit }),
      ...(this.linesTruncated && { linesTruncated: true }),
    }
  }

  /** An unreadable file counts as empty. */
  private async read(path: string): Promise<string> {
    try {
      return await this.operations.readFile(path)
    } catch (cause) {
      if (cause instanceof TooLarge) this.tooLarge++
      return ""
    }
  }

  private addRow(shown: string, index: number, line: string, isMatch: boolean): void {
    const { text, wasTruncated } = truncateLine(line)
    this.linesTruncated ||= wasTruncated
    const mark = isMatch ? ":" : "-"
    this.rows.push(`${shown}${mark}${index + 1}${mark} ${text}`)
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
  { operations = localOperations }: GrepToolOptions = {},
): FactoryTool<typeof parameters, GrepToolDetails | undefined> => ({
  name: "grep",
  label: "grep",
  description: `Search files for a pattern. Gives the lines that match with path and number, past what .gitignore leaves out. Cut to ${defaultLimit} matches or ${DEFAULT_MAX_BYTES / 1024}KB, whichever comes first, and lines to ${GREP_MAX_LINE_LENGTH} characters.`,
  promptSnippet: "Search files for a pattern",
  parameters,
  execute: (_toolCallId, params, signal) =>
    unlessAborted(signal, async () => {
      const { pattern, glob, ignoreCase = false, literal = false } = params
      const path = resolvePath(params.path || ".", cwd)
      let isFolder: boolean
      try {
        isFolder = await operations.isDirectory(path)
      } catch {
        throw new Error(`Path not found: ${path}`)
      }
      const find = lineMatcher(pattern, { ignoreCase, literal })
      const around = wholeNumber(params.context, 0, 0)
      const search = new Search(find, around, wholeNumber(params.limit, defaultLimit, 1), operations)
      if (isFolder) {
        for await (const file of filesIn(path, glob, signal)) {
          await search.addFile(file.path, file.shown)
          if (search.hasMore) break
        }
      } else await search.addFile(path, basename(path))
      const { rows, notices, details } = search
      if (rows.length > 0) return limitedList(rows, notices, details)
      const text = ["No matches found", ...notices.map((notice) => `[${notice}]`)].join("\n\n")
      return { content: textContent(text), details: undefined }
    }),
})
