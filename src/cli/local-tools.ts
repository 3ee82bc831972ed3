/** The tools of a command: built-in ones, and those of other agents that lie in their usual places or are named. */
import { homedir } from "node:os"
import type { CustomTools } from "../custom-tools/custom-tools.ts"
import { resolveToolPath } from "../custom-tools/loading/tool-paths.ts"
import { ToolRegistry } from "../pipeline/registry.ts"
import type { Tool } from "../pipeline/tool.ts"
import { moveForeignOutput } from "./foreign-output.ts"

export interface ToolsOptions {
  /** Modules and folders of tools to load besides. */
  readonly toolPath?: ReadonlyArray<string>
  /** Whether to look for tools where other agents keep theirs. Default true. */
  readonly discovery?: boolean
}

export interface LocalTools {
  readonly registry: ToolRegistry
  readonly customTools: CustomTools | undefined
}

const areThereTools = async (cwd: string, home: string): Promise<boolean> => {
  const { discoverCustomTools, discoverExtensions } = await import("../custom-tools/loading/discovery.ts")
  const found = await Promise.all([discoverCustomTools(cwd, home), discoverExtensions(cwd, home)])
  return found.flat().length > 0
}

/** `cwd` is absolute. */
export const localTools = async (
  builtIn: Iterable<Tool>,
  { toolPath = [], discovery = true }: ToolsOptions,
  cwd: string,
): Promise<LocalTools> => {
  const registry = new ToolRegistry(builtIn)
  const home = homedir()
  const isAnyThere = toolPath.length > 0 || (discovery && (await areThereTools(cwd, home)))
  // What loads them takes longer to load than all else.
  if (!isAnyThere) return { registry, customTools: undefined }
  moveForeignOutput()
  const { CustomTools } = await import("../custom-tools/custom-tools.ts")
  // As a shell's user means it: from where the command is typed, wherever the tools are to work.
  const paths = toolPath.map((path) => resolveToolPath(path, process.cwd(), home))
  const customTools = await CustomTools.load({ cwd, registry, paths, discovery })
  return { registry, customTools }
}

/** A path as people write it: from the working directory, or from the home folder. */
export const shortPath = (path: string, cwd: string): string => {
  for (const [folder, short] of [
    [cwd, ""],
    [homedir(), "~/"],
  ] as const) {
    if (path.startsWith(`${folder}/`)) return `${short}${path.slice(folder.length + 1)}`
  }
  return path
}

/** What could not be loaded, a line each. */
export const loadErrors = (customTools: CustomTools | undefined, cwd: string): Array<string> =>
  (customTools?.errors ?? []).map(({ path, error }) => `${shortPath(path, cwd)}: ${error}`)
