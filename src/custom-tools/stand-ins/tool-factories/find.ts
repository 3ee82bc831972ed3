/** pi's `find`: files and folders that match a glob, except those that `.gitignore` files ignore. */
import { join, sep } from "node:path"
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
import { entriesBelow, fileAt, resolvePath, slashed } from "./paths.ts"

const defaultLimit = 1000

const parameters = Type.Object({
  pattern: Type.String({ description: "Glob, such as '*.ts', '**/*.json' or 'src/**/*.spec.ts'" }),
  path: Type.Optional(Type.String({ description: "Folder to search (default: the working directory)" })),
  limit: Type.Optional(
    Type.Number({ description: `How many results to give at most (default: ${defaultLimit})` }),
  ),
})

/** How the tool accesses folders. */
export interface FindOperations {
  exists(path: string): Promise<boolean> | boolean
  /** Returns matching paths, absolute or relative to `folder`. */
  glob(
    pattern: string,
    folder: string,
    options: { readonly ignore: Array<string>; readonly limit: number; readonly signal?: AbortSignal },
  ): Promise<Array<string>> | Array<string>
}

export interface FindToolDetails extends ListDetails {
  readonly resultLimitReached?: number
}

/**
 * Makes a matcher. A pattern without a slash matches names; one with a slash the end of a path, or all of it if it begins
 * with `/` or `./`. Without capitals it ignores case.
 */
const matcherOf = async (pattern: string): Promise<(path: string) => boolean> => {
  const { default: picomatch } = await import("picomatch")
  const basename = !pattern.includes("/")
  const whole = pattern.replace(/^\.?\//, "")
  const glob = basename || whole !== pattern || pattern.startsWith("**/") ? whole : `**/${pattern}`
  return picomatch(glob, { dot: true, basename, nocase: !/\p{Lu}/u.test(pattern) })
}

const localOperations: FindOperations = {
  exists: async (path) => (await fileAt(path)).info !== undefined,
  glob: async (pattern, folder, { limit, signal }) => {
    const { real, info } = await fileAt(folder)
    if (info?.kind !== "directory") throw new Error(`Not a directory: ${folder}`)
    const matches = await matcherOf(pattern)
    const found: Array<string> = []
    for await (const { path, kind } of entriesBelow(real, signal)) {
      if (!matches(path)) continue
      found.push(kind === "directory" ? `${path}/` : path)
      if (found.length >= limit) break
    }
    return found
  },
}

/** What pi asks operations to leave out; those of this machine follow the folder's own rules. */
const ignore = ["**/node_modules/**", "**/.git/**"]

/**
 * pi's `find` for a working directory. Parameters: `pattern`, `path?` (default: the working directory), `limit?` (default
 * 1000). Returns paths relative to `path`, one per line, folders with a slash, cut to 50 KB. Rejects if `path` is not a
 * folder. The published tool runs fd; this one walks by itself, with picomatch's globs, in the order of names.
 */
export const createFindTool = (
  cwd: string,
  { operations = localOperations }: FactoryOptions<FindOperations> = {},
): FactoryTool<typeof parameters, FindToolDetails | undefined> =>
  factoryTool({
    name: "find",
    description: `Find files by a glob. Gives paths relative to the folder that is searched, past what .gitignore leaves out. Cut to ${defaultLimit} results or ${DEFAULT_MAX_BYTES / 1024}KB, whichever comes first.`,
    promptSnippet: "Find files by glob",
    parameters,
    run: async (params, signal) => {
      const folder = resolvePath(params.path || ".", cwd)
      if (!(await operations.exists(folder))) throw new Error(`Path not found: ${folder}`)
      const limit = wholeNumber(params.limit, defaultLimit, 1)
      const options = { ignore: [...ignore], limit, ...(signal && { signal }) }
      const top = join(folder, sep)
      const found = (await operations.glob(params.pattern, folder, options)).map((path) =>
        slashed(path.startsWith(top) ? path.slice(top.length) : path),
      )
      if (found.length === 0)
        return { content: textContent("No files found matching pattern"), details: undefined }
      const isCut = found.length >= limit
      const notices = isCut
        ? [`${limit} results limit reached. Use limit=${limit * 2} for more, or refine pattern`]
        : []
      return limitedList(found, notices, isCut ? { resultLimitReached: limit } : {})
    },
  })
