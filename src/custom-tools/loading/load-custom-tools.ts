/** Loads oh-my-pi's custom tools one after the other, each accepted or rejected on its own. */
import { homedir } from "node:os"
import {
  type LoadedCustomTool,
  type LoadedCustomTools,
  type ToolPath,
  type ToolSource,
  toolLoadError,
} from "../loaded-tool.ts"
import { invalidTool, isTaken, nameConflict } from "../tool-shape.ts"
import { makeCustomToolAPI } from "./custom-tool-api.ts"
import { discoverCustomTools } from "./discovery.ts"
import { loadEach } from "./load-factory.ts"
import { type DiscoveryOptions, expectDiscovery, type LoadOptions } from "./load-options.ts"
import { expandToolPath } from "./tool-folders.ts"
import { resolveToolPath, toToolPaths } from "./tool-paths.ts"

const configSource: ToolSource = { provider: "config", providerName: "Config", level: "project" }

/**
 * Loads tools from the usual places (see `discoverCustomTools`), then from `configuredPaths`, which can also be folders.
 * Never rejects because of a module: what cannot be loaded is listed in `errors`. Rejects with a TypeError for invalid
 * `configuredPaths`.
 *
 * The published versions of this function also run the modules in `cwd`. Here that needs `discovery: "all"`, because a
 * folder's code can do everything that this process can; without it, `errors` lists what was skipped.
 */
export const discoverAndLoadCustomTools = async (
  configuredPaths: ReadonlyArray<string | ToolPath>,
  cwd: string,
  builtInToolNames: Iterable<string>,
  options: DiscoveryOptions = {},
): Promise<LoadedCustomTools> => {
  const { home = homedir(), discovery = "home" } = options
  expectDiscovery(discovery)
  const configured = toToolPaths(configuredPaths, "configuredPaths").map((toolPath) => ({
    ...toolPath,
    path: resolvedOrGiven(toolPath.path, cwd, home),
    source: toolPath.source ?? configSource,
  }))
  const discovered = discovery ? await discoverCustomTools(cwd, home, discovery) : []
  const resolved = { ...options, discovery }
  const loaded = await loadCustomTools([...discovered, ...configured], cwd, builtInToolNames, resolved)
  if (discovery !== "home") return loaded
  const known = new Set(loaded.tools.map(({ resolvedPath }) => resolvedPath))
  const left = (await discoverCustomTools(cwd, home)).filter(
    ({ path, source }) => source?.level === "project" && !known.has(path),
  )
  return { ...loaded, errors: [...loaded.errors, ...left.map((module) => toolLoadError(module, leftOut))] }
}

const leftOut =
  'It lies in the project, whose code runs only for a host that names it: with `discovery: "all"`, or as a configured path'

/** Keeps an invalid path, such as another host's URL, which is reported when it is loaded. */
const resolvedOrGiven = (path: string, cwd: string, home: string): string => {
  try {
    return resolveToolPath(path, cwd, home)
  } catch {
    return path
  }
}

/**
 * Loads tools from modules or folders. A name that is in use is a conflict; the same module twice is not. `fromCustomTool`
 * validates names and schemas. Rejects with a TypeError for invalid `paths`.
 */
export const loadCustomTools = async (
  paths: ReadonlyArray<string | ToolPath>,
  cwd: string,
  builtInToolNames: Iterable<string>,
  options: LoadOptions = {},
): Promise<LoadedCustomTools> => {
  const toolPaths = toToolPaths(paths)
  const { api, setUIContext } = await makeCustomToolAPI(cwd, options)
  const names = new Set(builtInToolNames)
  const tools: Array<LoadedCustomTool> = []
  const errors = await loadEach({
    toolPaths,
    cwd: api.cwd,
    options,
    logger: api.logger,
    expand: expandToolPath,
    namesMembers: true,
    take: async ({ path, resolvedPath, source }, factory, reject) => {
      for (const [index, tool] of ((await factory(api)) ?? [undefined]).entries()) {
        if (tool === undefined) reject(invalidTool(index))
        else if (isTaken(tool.name) || names.has(tool.name)) reject(nameConflict(tool.name))
        else {
          names.add(tool.name)
          tools.push({ path, resolvedPath, tool, ...(source && { source }) })
        }
      }
    },
  })
  return { tools, errors, setUIContext }
}
