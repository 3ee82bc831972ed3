/** Loads extensions one after the other. Everything that a failed one registered is removed. */
import { homedir } from "node:os"
import type { ReturnedTools } from "../loaded-tool.ts"
import {
  type LoadedCustomTool,
  type LoadedCustomTools,
  type LoadedExtensionTool,
  type ToolLoadError,
  type ToolPath,
  toolLoadError,
} from "../loaded-tool.ts"
import { makeCustomToolAPI } from "../loading/custom-tool-api.ts"
import { loadFailure, openModule } from "../loading/load-factory.ts"
import type { LoadOptions } from "../loading/load-options.ts"
import { loaderOf } from "../loading/load-options.ts"
import { expandExtensionPath, findModules } from "../loading/tool-folders.ts"
import { toToolPaths } from "../loading/tool-paths.ts"
import { invalidTool } from "../tool-shape.ts"
import { makeExtensionAPI } from "./extension-api.ts"
import { ExtensionRunner } from "./extension-runner.ts"
import { type ExtensionModule, LoadedExtension } from "./loaded-extension.ts"

/** The result of `loadExtensions`. */
export interface LoadedExtensions {
  /** The tools that extensions registered; for each name the latest. Later registrations go to the runner's port. */
  readonly tools: Array<LoadedExtensionTool>
  /** The tools that factories returned instead, as in oh-my-pi. */
  readonly customTools: Array<LoadedCustomTool>
  readonly errors: Array<ToolLoadError>
  /** Sets the screen of all extensions' API objects, once there is one. */
  setUIContext: LoadedCustomTools["setUIContext"]
  readonly runner: ExtensionRunner
}

/** The options of `loadExtensions`. */
export interface LoadExtensionsOptions extends LoadOptions {
  /** Already loaded modules to skip, by their real paths. */
  readonly except?: ReadonlySet<string>
}

/**
 * Loads pi's extensions, and oh-my-pi's tools among them, from modules or folders. Never rejects because of a module: what
 * cannot be loaded is listed in `errors`. Rejects with a TypeError for invalid `paths`.
 */
export const loadExtensions = async (
  paths: ReadonlyArray<string | ToolPath>,
  cwd: string,
  options: LoadExtensionsOptions = {},
): Promise<LoadedExtensions> => {
  const { host = {}, home = homedir(), argumentOrder, except } = options
  const toolPaths = toToolPaths(paths)
  const { api: shared, setUIContext } = await makeCustomToolAPI(cwd, { ...options, host })
  const runner = new ExtensionRunner({ cwd: shared.cwd, host, shared })
  const loader = loaderOf(options, shared.logger)
  const customTools: Array<LoadedCustomTool> = []
  const errors: Array<ToolLoadError> = []
  const reject = (module: Parameters<typeof toolLoadError>[0], error: string): void => {
    errors.push(toolLoadError(module, error))
  }

  /**
   * Adds the valid tools that a factory returned. Invalid ones are errors only if it registered nothing, because otherwise it
   * can return anything.
   */
  const takeReturned = (extension: LoadedExtension, returned: ReturnedTools = []): void => {
    const { path, resolvedPath, source } = extension.module
    for (const [index, tool] of returned.entries()) {
      if (tool !== undefined) customTools.push({ path, resolvedPath, tool, ...(source && { source }) })
      else if (extension.registeredNothing) extension.errors.push(invalidTool(index))
    }
  }

  const load = async (module: ExtensionModule): Promise<void> => {
    const { resolvedPath } = module
    const opened = await openModule(loader, module, shared.cwd, options)
    if ("error" in opened) return reject(module, opened.error)
    for (const error of opened.errors ?? []) reject(module, error)
    const extension = new LoadedExtension(module)
    try {
      runner.add(extension)
      const returned = await opened.factory(makeExtensionAPI({ extension, runner, host, shared }))
      extension.succeed()
      takeReturned(extension, returned)
      for (const error of extension.errors) reject(module, error)
    } catch (error) {
      runner.drop(extension)
      reject(module, loadFailure(resolvedPath, error))
    }
  }

  const modules: Array<ExtensionModule> = []
  const found = findModules(toolPaths, { cwd: shared.cwd, home, expand: expandExtensionPath, except, reject })
  for await (const { isMember: _, ...module } of found)
    modules.push({ ...(argumentOrder && { argumentOrder }), ...module })
  for (const module of modules) await load(module)
  return { tools: runner.tools.registered, customTools, errors, setUIContext, runner }
}
