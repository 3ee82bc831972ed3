/** Loads oh-my-pi's custom tools one after the other, each accepted or rejected on its own. */
import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { messageOf } from "../../pipeline/failure.ts"
import type { CustomToolAPI } from "../custom-tool.ts"
import type {
  LoadedCustomTool,
  LoadedCustomTools,
  ToolLoadError,
  ToolPath,
  ToolSource,
} from "../loaded-tool.ts"
import { invalidTool, isTool } from "../tool-shape.ts"
import { makeCustomToolAPI } from "./custom-tool-api.ts"
import { discoverCustomTools } from "./discovery.ts"
import type { LoadOptions } from "./load-options.ts"
import type { ModuleLoader } from "./module-loader.ts"
import { loaderOf } from "./shared-loader.ts"
import { expandToolPath } from "./tool-folders.ts"
import { declarativeFile, isDeclarative, resolveToolPath } from "./tool-paths.ts"

const configSource: ToolSource = { provider: "config", providerName: "Config", level: "project" }

/**
 * Loads tools from the usual places (see `discoverCustomTools`), then from `configuredPaths`, which may be folders too.
 * Rejects for nothing that a module does: what cannot be loaded is listed in `errors`.
 */
export const discoverAndLoadCustomTools = async (
  configuredPaths: ReadonlyArray<string | ToolPath>,
  cwd: string,
  builtInToolNames: Iterable<string>,
  options: LoadOptions = {},
): Promise<LoadedCustomTools> => {
  const { home = homedir() } = options
  const configured = configuredPaths.map(toToolPath).map((toolPath) => ({
    ...toolPath,
    path: resolvedOrGiven(toolPath.path, cwd, home),
    source: toolPath.source ?? configSource,
  }))
  const discovered = await discoverCustomTools(cwd, home)
  return loadCustomTools([...discovered, ...configured], cwd, builtInToolNames, options)
}

/** A path that means nothing, such as another host's URL, is told of when it is loaded. */
const resolvedOrGiven = (path: string, cwd: string, home: string): string => {
  try {
    return resolveToolPath(path, cwd, home)
  } catch {
    return path
  }
}

/** Loads tools from modules or folders. A name that is taken is a conflict; the same module twice is not. */
export const loadCustomTools = async (
  paths: ReadonlyArray<string | ToolPath>,
  cwd: string,
  builtInToolNames: Iterable<string>,
  options: LoadOptions = {},
): Promise<LoadedCustomTools> => {
  const { api, setUIContext } = await makeCustomToolAPI(cwd, options)
  const loading = new Loading(api, builtInToolNames, options)
  for (const path of paths) await loading.add(toToolPath(path))
  return { tools: loading.tools, errors: loading.errors, setUIContext }
}

const toToolPath = (path: string | ToolPath): ToolPath => (typeof path === "string" ? { path } : path)

class Loading {
  readonly tools: Array<LoadedCustomTool> = []
  readonly errors: Array<ToolLoadError> = []
  private readonly api: CustomToolAPI
  private readonly home: string
  private readonly loader: ModuleLoader
  private readonly names: Set<string>
  private readonly files = new Set<string>()

  constructor(api: CustomToolAPI, builtInToolNames: Iterable<string>, options: LoadOptions) {
    const { home = homedir() } = options
    this.api = api
    this.home = home
    this.loader = loaderOf(options, api.logger)
    this.names = new Set(builtInToolNames)
  }

  async add(toolPath: ToolPath): Promise<void> {
    try {
      const path = resolveToolPath(toolPath.path, this.api.cwd, this.home)
      for (const module of await expandToolPath(path)) {
        // What lies in a folder is named by itself.
        await this.addModule(module === path ? toolPath : { ...toolPath, path: module }, module)
      }
    } catch (error) {
      this.reject(toolPath, `Failed to load tool: ${messageOf(error)}`)
    }
  }

  private async addModule(toolPath: ToolPath, resolvedPath: string): Promise<void> {
    const file = await realpath(resolvedPath).catch(() => resolvedPath)
    if (this.files.has(file)) return
    this.files.add(file)
    if (isDeclarative(resolvedPath)) {
      this.reject(toolPath, declarativeFile)
      return
    }
    try {
      const factory = await this.loader.load(resolvedPath)
      if (typeof factory !== "function") {
        this.reject(toolPath, "Tool must export a default function")
        return
      }
      const returned: unknown = await this.loader.call(resolvedPath, () => factory(this.api))
      const tools: Array<unknown> = Array.isArray(returned) ? returned : [returned]
      for (const [index, tool] of tools.entries()) this.accept({ ...toolPath, resolvedPath }, tool, index)
    } catch (error) {
      this.reject(toolPath, `Failed to load tool: ${messageOf(error)}`)
    }
  }

  private accept(module: ToolPath & { readonly resolvedPath: string }, tool: unknown, index: number): void {
    const { path, resolvedPath, source } = module
    if (!isTool(tool)) {
      this.reject(module, invalidTool(index))
    } else if (this.names.has(tool.name)) {
      this.reject(module, `Tool name "${tool.name}" conflicts with existing tool`)
    } else {
      this.names.add(tool.name)
      this.tools.push({ path, resolvedPath, tool, ...(source && { source }) })
    }
  }

  private reject({ path, source }: ToolPath, error: string): void {
    this.errors.push({ path, error, ...(source && { source }) })
  }
}
