/** Loads extensions one after the other. Everything that a failed one registered is removed. */
import type {
  LoadedCustomTool,
  LoadedCustomTools,
  LoadedExtensionTool,
  ReturnedTools,
  ToolLoadError,
  ToolPath,
} from "../loaded-tool.ts"
import { makeCustomToolAPI } from "../loading/custom-tool-api.ts"
import { loadEach } from "../loading/load-factory.ts"
import type { LoadOptions } from "../loading/load-options.ts"
import { expandExtensionPath } from "../loading/tool-folders.ts"
import { toToolPaths } from "../loading/tool-paths.ts"
import { invalidTool } from "../tool-shape.ts"
import { makeExtensionAPI } from "./extension-api.ts"
import { ExtensionRunner } from "./extension-runner.ts"
import { LoadedExtension } from "./loaded-extension.ts"

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
  const { host = {}, argumentOrder } = options
  const toolPaths = toToolPaths(paths)
  const { api: shared, setUIContext } = await makeCustomToolAPI(cwd, { ...options, host })
  const made = { cwd: shared.cwd, host, shared }
  const runner = new ExtensionRunner(made)
  const customTools: Array<LoadedCustomTool> = []

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

  const errors = await loadEach({
    toolPaths,
    cwd: shared.cwd,
    options,
    logger: shared.logger,
    expand: expandExtensionPath,
    take: async (module, factory, reject) => {
      const extension = new LoadedExtension({ ...(argumentOrder && { argumentOrder }), ...module })
      try {
        runner.add(extension)
        const returned = await factory(makeExtensionAPI(extension, runner, made))
        extension.succeed()
        takeReturned(extension, returned)
        for (const error of extension.errors) reject(error)
      } catch (error) {
        runner.drop(extension)
        throw error
      }
    },
  })
  return { tools: runner.tools.registered, customTools, errors, setUIContext, runner }
}
