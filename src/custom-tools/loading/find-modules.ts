/** Walks the paths of a loader, in order: each module once, by its real file. */
import { realpath } from "node:fs/promises"
import { messageOf } from "../../text/message-of.ts"
import type { ToolPath } from "../loaded-tool.ts"
import { resolveToolPath } from "./tool-paths.ts"

export interface FoundModule extends ToolPath {
  /** Absolute. */
  readonly resolvedPath: string
  /** Whether it was found in a named folder, instead of being named itself. */
  readonly isMember: boolean
}

export interface FindOptions {
  readonly cwd: string
  readonly home: string
  /** Resolves with the modules for an absolute path. */
  readonly expand: (path: string) => Promise<ReadonlyArray<string>>
  /** Real paths to skip. */
  readonly except?: ReadonlySet<string> | undefined
  /** Called for each invalid path, with the whole sentence. */
  readonly reject: (toolPath: ToolPath, error: string) => void
}

export async function* findModules(
  toolPaths: ReadonlyArray<ToolPath>,
  { cwd, home, expand, except, reject }: FindOptions,
): AsyncGenerator<FoundModule> {
  const seen = new Set(except)
  for (const toolPath of toolPaths) {
    let path: string
    let modules: ReadonlyArray<string>
    try {
      path = resolveToolPath(toolPath.path, cwd, home)
      modules = await expand(path)
    } catch (error) {
      reject(toolPath, `Failed to load tool: ${messageOf(error)}`)
      continue
    }
    for (const resolvedPath of modules) {
      const file = await realpath(resolvedPath).catch(() => resolvedPath)
      if (seen.has(file)) continue
      seen.add(file)
      yield { ...toolPath, resolvedPath, isMember: resolvedPath !== path }
    }
  }
}
