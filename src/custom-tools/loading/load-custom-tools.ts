/** Loads oh-my-pi's custom tools one after the other, each accepted or rejected on its own. */
import { homedir } from "node:os"
import {
  type LoadedCustomTool,
  type LoadedCustomTools,
  type ToolLoadError,
  type ToolPath,
  type ToolSource,
  toolLoadError,
} from "../loaded-tool.ts"
import { invalidTool, isTaken, nameConflict } from "../tool-shape.ts"
import { makeCustomToolAPI } from "./custom-tool-api.ts"
import { discoverCustomTools } from "./discovery.ts"
import { loadFailure, openModule } from "./load-factory.ts"
import { type DiscoveryOptions, expectDiscovery, type LoadOptions, loaderOf } from "./load-options.ts"
import { expandToolPath, findModules } from "./tool-folders.ts"
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
  const loader = loaderOf(options, api.logger)
  const names = new Set(builtInToolNames)
  const tools: Array<LoadedCustomTool> = []
  const errors: Array<ToolLoadError> = []
  const reject = (module: Parameters<typeof toolLoadError>[0], error: string): void => {
    errors.push(toolLoadError(module, error))
  }
  const modules = findModules(toolPaths, {
    cwd: api.cwd,
    home: options.home ?? homedir(),
    expand: expandToolPath,
    reject,
  })
  for await (const { isMember, ...found } of modules) {
    const { resolvedPath, source } = found
    // A module in a folder is reported by its own path.
    const module = isMember ? { ...found, path: resolvedPath } : found
    const opened = await openModule(loader, found, api.cwd, options)
    if ("error" in opened) {
      reject(module, opened.error)
      continue
    }
    for (const error of opened.errors ?? []) reject(module, error)
    try {
      const returned = (await opened.factory(api)) ?? [undefined]
      for (const [index, tool] of returned.entries()) {
        if (tool === undefined) reject(module, invalidTool(index))
        else if (isTaken(tool.name) || names.has(tool.name)) reject(module, nameConflict(tool.name))
        else {
          names.add(tool.name)
          tools.push({ path: module.path, resolvedPath, tool, ...(source && { source }) })
        }
      }
    } catch (error) {
      reject(module, loadFailure(resolvedPath, error))
    }
  }
  return { tools, errors, setUIContext }
}
