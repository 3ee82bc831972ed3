/** The factory of a module. Its result is read under the guards for foreign code, and returned as plain data. */
import { messageOf } from "../../text/message-of.ts"
import type { Factory, OpenedModule, ReturnedTools, ToolPath } from "../loaded-tool.ts"
import { takeTool } from "../tool-shape.ts"
import { runIsolated } from "./isolation.ts"
import type { LoadOptions } from "./load-options.ts"
import type { ModuleLoader } from "./module-loader.ts"
import { isDeclarative } from "./tool-paths.ts"

/** Loads a module's factory; resolves with undefined if it exports no function. Rejects with the module's error. */
export const loadFactory = (loader: ModuleLoader, resolvedPath: string): Promise<Factory | undefined> =>
  loader.load(resolvedPath, (exported) =>
    typeof exported === "function"
      ? (api) => loader.call<unknown, ReturnedTools>(resolvedPath, () => exported(api), toTools)
      : undefined,
  )

/** Loads a module's factory, in a process of its own if it says so or else the options do. */
export const openModule = async (
  loader: ModuleLoader,
  module: ToolPath & { readonly resolvedPath: string },
  cwd: string,
  options: LoadOptions,
): Promise<OpenedModule> => {
  const { resolvedPath, isolate = options.isolate } = module
  if (isDeclarative(resolvedPath)) {
    return { error: "Declarative tool files (.md, .json) cannot be loaded as executable modules" }
  }
  try {
    if (isolate === "process") {
      const { openIsolated } = await import("../isolated/isolated-module.ts")
      return await openIsolated(loader, module, cwd, options)
    }
    const factory = await loadFactory(loader, resolvedPath)
    return factory === undefined ? { error: "Tool must export a default function" } : { factory }
  } catch (error) {
    return { error: loadFailure(resolvedPath, error) }
  }
}

const toTools = (returned: unknown): ReturnedTools => {
  if (returned === undefined || returned === null) return undefined
  return (Array.isArray(returned) ? Array.from<unknown>(returned) : [returned]).map(takeTool)
}

/** The message for a module's error. */
export const loadFailure = (resolvedPath: string, error: unknown): string =>
  runIsolated(resolvedPath, () => `Failed to load tool: ${messageOf(error)}`)
