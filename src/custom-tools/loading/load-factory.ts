/**
 * Loads modules: finds their factories, and has them called. What a factory returns is read under the guards for foreign code, and
 * passed on as plain data.
 */
import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import { messageOf } from "../../text/message-of.ts"
import type { Logger } from "../host.ts"
import {
  type Factory,
  type OpenedModule,
  type ReturnedTools,
  type ToolLoadError,
  type ToolPath,
  toolLoadError,
} from "../loaded-tool.ts"
import { takeTool } from "../tool-shape.ts"
import { runIsolated } from "./isolation.ts"
import { type LoadOptions, loaderOf } from "./load-options.ts"
import type { ModuleLoader } from "./module-loader.ts"
import { isDeclarative, resolveToolPath } from "./tool-paths.ts"

/** Loads a module's factory; resolves with undefined if it exports no function. Rejects with the module's error. */
export const loadFactory = (loader: ModuleLoader, resolvedPath: string): Promise<Factory | undefined> =>
  loader.load(resolvedPath, (exported) =>
    typeof exported === "function"
      ? (api) => loader.call<unknown, ReturnedTools>(resolvedPath, () => exported(api), toTools)
      : undefined,
  )

/** Loads a module's factory, in a process of its own if it says so or else the options do. */
const openModule = async (
  loader: ModuleLoader,
  module: FoundModule,
  cwd: string,
  options: LoadOptions,
): Promise<OpenedModule> => {
  const { resolvedPath, isolate = options.isolate } = module
  if (isDeclarative(resolvedPath)) {
    return { error: "Declarative tool files (.md, .json) cannot be loaded as executable modules" }
  }
  if (isolate === "process") {
    const { openIsolated } = await import("../isolated/isolated-module.ts")
    return await openIsolated(loader, module, cwd, options)
  }
  const factory = await loadFactory(loader, resolvedPath)
  return factory === undefined ? { error: "Tool must export a default function" } : { factory }
}

/** A module to load. */
export interface FoundModule extends ToolPath {
  /** Absolute. */
  readonly resolvedPath: string
}

export interface Loading {
  readonly toolPaths: ReadonlyArray<ToolPath>
  readonly cwd: string
  readonly options: LoadOptions & { readonly except?: ReadonlySet<string> }
  readonly logger: Logger
  /** Resolves with the modules for an absolute path. */
  readonly expand: (path: string) => Promise<ReadonlyArray<string>>
  /** Whether modules in a named folder are reported by their own paths. */
  readonly namesMembers?: boolean
  /** Calls the factory of a module, and takes its tools. Rejects with the module's error. */
  readonly take: (module: FoundModule, factory: Factory, reject: (error: string) => void) => Promise<void>
}

/** Loads modules one after the other, each once, by its real file. Resolves with what could not be loaded. */
export const loadEach = async (loading: Loading): Promise<Array<ToolLoadError>> => {
  const { toolPaths, cwd, options, logger, expand, namesMembers, take } = loading
  const loader = loaderOf(options, logger)
  const seen = new Set(options.except)
  const errors: Array<ToolLoadError> = []
  const load = async (module: FoundModule): Promise<void> => {
    const reject = (error: string) => void errors.push(toolLoadError(module, error))
    try {
      const opened = await openModule(loader, module, cwd, options)
      if ("error" in opened) return reject(opened.error)
      for (const error of opened.errors ?? []) reject(error)
      await take(module, opened.factory, reject)
    } catch (error) {
      reject(loadFailure(module.resolvedPath, error))
    }
  }
  for (const toolPath of toolPaths) {
    let path: string
    let modules: ReadonlyArray<string>
    try {
      path = resolveToolPath(toolPath.path, cwd, options.home ?? homedir())
      modules = await expand(path)
    } catch (error) {
      errors.push(toolLoadError(toolPath, `Failed to load tool: ${messageOf(error)}`))
      continue
    }
    for (const resolvedPath of modules) {
      const file = await realpath(resolvedPath).catch(() => resolvedPath)
      if (seen.has(file)) continue
      seen.add(file)
      const isNamed = namesMembers !== true || resolvedPath === path
      await load({ ...toolPath, resolvedPath, ...(!isNamed && { path: resolvedPath }) })
    }
  }
  return errors
}

const toTools = (returned: unknown): ReturnedTools => {
  if (returned === undefined || returned === null) return undefined
  return (Array.isArray(returned) ? Array.from<unknown>(returned) : [returned]).map(takeTool)
}

/** The message for a module's error. */
export const loadFailure = (resolvedPath: string, error: unknown): string =>
  runIsolated(resolvedPath, () => `Failed to load tool: ${messageOf(error)}`)
