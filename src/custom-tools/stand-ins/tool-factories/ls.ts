/** pi's `ls`: the entries of a folder, sorted, folders with a slash. */
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import { DEFAULT_MAX_BYTES } from "../truncation.ts"
import {
  type FactoryOptions,
  type FactoryTool,
  factoryTool,
  type ListDetails,
  limitedList,
  textContent,
  wholeNumber,
} from "./factory-tool.ts"
import { resolvePath } from "./paths.ts"

const defaultLimit = 500

const parameters = Type.Object({
  path: Type.Optional(Type.String({ description: "Folder to list (default: the working directory)" })),
  limit: Type.Optional(
    Type.Number({ description: `How many entries to give at most (default: ${defaultLimit})` }),
  ),
})

/** How the tool accesses folders. */
export interface LsOperations {
  exists(path: string): Promise<boolean> | boolean
  /** Rejects, or throws, if nothing exists at the path. */
  stat(path: string): Promise<{ isDirectory(): boolean }> | { isDirectory(): boolean }
  readdir(path: string): Promise<Array<string>> | Array<string>
}

export interface LsToolDetails extends ListDetails {
  readonly entryLimitReached?: number
}

const localOperations: LsOperations = {
  exists: (path) =>
    stat(path).then(
      () => true,
      () => false,
    ),
  stat,
  readdir: (path) => readdir(path),
}

const byName = (a: string, b: string): number => {
  const [lowA, lowB] = [a.toLowerCase(), b.toLowerCase()]
  if (lowA === lowB) return a < b ? -1 : 1
  return lowA < lowB ? -1 : 1
}

/** Lists names, folders with a slash, without entries that were removed meanwhile and dangling links. */
const listed = async (
  operations: LsOperations,
  folder: string,
  limit: number,
): Promise<{ readonly names: Array<string>; readonly isCut: boolean }> => {
  const entries = [...(await operations.readdir(folder))].sort(byName)
  const names: Array<string> = []
  for (const entry of entries) {
    if (names.length >= limit) return { names, isCut: true }
    try {
      names.push((await operations.stat(join(folder, entry))).isDirectory() ? `${entry}/` : entry)
    } catch {}
  }
  return { names, isCut: false }
}

/**
 * pi's `ls` for a working directory. Parameters: `path?` (default: the working directory), `limit?` (entries, default 500).
 * Returns names, one per line, folders with a slash, cut to 50 KB. Rejects if `path` is not a folder. The published tool
 * sorts by the user's locale; this one sorts the same everywhere.
 */
export const createLsTool = (
  cwd: string,
  { operations = localOperations }: FactoryOptions<LsOperations> = {},
): FactoryTool<typeof parameters, LsToolDetails | undefined> =>
  factoryTool({
    name: "ls",
    description: `List a folder: names in order, folders with a slash, those with a leading dot too. Cut to ${defaultLimit} entries or ${DEFAULT_MAX_BYTES / 1024}KB, whichever comes first.`,
    promptSnippet: "List folders",
    parameters,
    run: async (params) => {
      const folder = resolvePath(params.path || ".", cwd)
      if (!(await operations.exists(folder))) throw new Error(`Path not found: ${folder}`)
      if (!(await operations.stat(folder)).isDirectory()) throw new Error(`Not a directory: ${folder}`)
      const limit = wholeNumber(params.limit, defaultLimit, 1)
      const { names, isCut } = await listed(operations, folder, limit)
      if (names.length === 0) return { content: textContent("(empty directory)"), details: undefined }
      const notices = isCut ? [`${limit} entries limit reached. Use limit=${limit * 2} for more`] : []
      return limitedList(names, notices, isCut ? { entryLimitReached: limit } : {})
    },
  })
