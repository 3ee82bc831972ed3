/** Loads extensions one after the other. One that fails costs what is its own: nothing that it registered stays. */
import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { messageOf } from "../../pipeline/failure.ts"
import type { CustomToolAPI } from "../custom-tool.ts"
import type { CustomToolHost } from "../host.ts"
import type {
  LoadedCustomTool,
  LoadedCustomTools,
  LoadedExtensionTool,
  ToolLoadError,
  ToolPath,
} from "../loaded-tool.ts"
import { makeCustomToolAPI } from "../loading/custom-tool-api.ts"
import { expandExtensionPath } from "../loading/discovery.ts"
import type { LoadOptions } from "../loading/load-options.ts"
import type { ModuleLoader } from "../loading/module-loader.ts"
import { loaderOf } from "../loading/shared-loader.ts"
import { declarativeFile, isDeclarative, resolveToolPath } from "../loading/tool-paths.ts"
import { invalidTool, isTool } from "../tool-shape.ts"
import { makeExtensionAPI } from "./extension-api.ts"
import { ExtensionRunner } from "./extension-runner.ts"
import { type ExtensionModule, LoadedExtension } from "./loaded-extension.ts"

export interface LoadedExtensions {
  /** What extensions registered; of one name the latest. What they register later reaches the runner's port. */
  readonly tools: Array<LoadedExtensionTool>
  /** What factories returned instead: that is oh-my-pi's way. */
  readonly customTools: Array<LoadedCustomTool>
  readonly errors: Array<ToolLoadError>
  /** Gives the API objects of all extensions a screen, once there is one. */
  setUIContext: LoadedCustomTools["setUIContext"]
  readonly runner: ExtensionRunner
}

export interface LoadExtensionsOptions extends LoadOptions {
  /** Modules that are loaded already and left out here, by their real paths. */
  readonly except?: ReadonlySet<string>
}

/** What one load fills. */
interface Loading {
  readonly loader: ModuleLoader
  readonly runner: ExtensionRunner
  readonly host: CustomToolHost
  readonly shared: CustomToolAPI
  readonly customTools: Array<LoadedCustomTool>
  readonly errors: Array<ToolLoadError>
}

/**
 * Loads pi's extensions, and oh-my-pi's tools among them, from modules or folders. Rejects for nothing that a module
 * does: what cannot be loaded is listed in `errors`.
 */
export const loadExtensions = async (
  paths: ReadonlyArray<string | ToolPath>,
  cwd: string,
  options: LoadExtensionsOptions = {},
): Promise<LoadedExtensions> => {
  const { host = {}, home = homedir(), argumentOrder, except } = options
  const { api: shared, setUIContext } = await makeCustomToolAPI(cwd, { ...options, host })
  const runner = new ExtensionRunner({ cwd, host, shared })
  const loader = loaderOf(options, shared.logger)
  const customTools: Array<LoadedCustomTool> = []
  const errors: Array<ToolLoadError> = []
  for (const module of await findModules(paths, { cwd, home, except, errors })) {
    await loadExtension(
      { ...(argumentOrder && { argumentOrder }), ...module },
      { loader, runner, host, shared, customTools, errors },
    )
  }
  return { tools: runner.tools.registered, customTools, errors, setUIContext, runner }
}

interface FindOptions {
  readonly cwd: string
  readonly home: string
  readonly except: ReadonlySet<string> | undefined
  readonly errors: Array<ToolLoadError>
}

/** Each module once, by the file that it really is. */
const findModules = async (
  paths: ReadonlyArray<string | ToolPath>,
  { cwd, home, except, errors }: FindOptions,
): Promise<Iterable<ExtensionModule>> => {
  const found = new Map<string, ExtensionModule>()
  for (const given of paths) {
    const toolPath = typeof given === "string" ? { path: given } : given
    try {
      for (const resolvedPath of await expandExtensionPath(resolveToolPath(toolPath.path, cwd, home))) {
        const file = await realpath(resolvedPath).catch(() => resolvedPath)
        if (!found.has(file) && except?.has(file) !== true) found.set(file, { ...toolPath, resolvedPath })
      }
    } catch (error) {
      errors.push(errorOf(toolPath, `Failed to load tool: ${messageOf(error)}`))
    }
  }
  return found.values()
}

const loadExtension = async (module: ExtensionModule, loading: Loading): Promise<void> => {
  const { loader, runner, host, shared, errors } = loading
  const { resolvedPath } = module
  if (isDeclarative(resolvedPath)) {
    errors.push(errorOf(module, declarativeFile))
    return
  }
  const extension = new LoadedExtension(module)
  try {
    const factory = await loader.load(resolvedPath)
    if (typeof factory !== "function") {
      errors.push(errorOf(module, "Tool must export a default function"))
      return
    }
    runner.add(extension)
    const api = makeExtensionAPI({ extension, runner, host, shared })
    const returned: unknown = await loader.call(resolvedPath, () => factory(api))
    extension.succeed()
    takeReturned(extension, returned, loading)
    for (const error of extension.errors) errors.push(errorOf(module, error))
  } catch (error) {
    runner.drop(extension)
    errors.push(errorOf(module, `Failed to load tool: ${messageOf(error)}`))
  }
}

/** Who registers something may return what it likes; who does not, has nothing but what it returns. */
const takeReturned = (extension: LoadedExtension, returned: unknown, loading: Loading): void => {
  if (returned === undefined || returned === null) return
  const { path, resolvedPath, source } = extension.module
  for (const [index, tool] of (Array.isArray(returned) ? returned : [returned]).entries()) {
    if (isTool(tool)) loading.customTools.push({ path, resolvedPath, tool, ...(source && { source }) })
    else if (extension.registeredNothing) extension.errors.push(invalidTool(index))
  }
}

const errorOf = ({ path, source }: ToolPath, error: string): ToolLoadError => ({
  path,
  error,
  ...(source && { source }),
})
