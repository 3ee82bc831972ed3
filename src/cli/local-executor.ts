/** The executor of a command: the built-in tools, on this machine, under the rules of the command line. */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { allTools } from "../impls/index.ts"
import { ToolExecutor } from "../pipeline/executor.ts"
import { ToolRegistry } from "../pipeline/registry.ts"
import { loadFilters, type RuleOptions } from "./rules.ts"
import { UsageError } from "./usage-error.ts"

export interface LocalOptions extends RuleOptions {
  /** The folder that the tools work in. Default: the process's. */
  readonly cwd?: string
}

export interface LocalExecutor {
  readonly executor: ToolExecutor
  readonly registry: ToolRegistry
  /** Absolute. */
  readonly cwd: string
}

const expectFolder = async (path: string): Promise<string> => {
  const folder = resolve(path)
  const entry = await stat(folder).catch(() => undefined)
  if (entry?.isDirectory() === true) return folder
  throw new UsageError(`--cwd ${path}: there is no such folder`)
}

/** Throws a UsageError for options that name what is not there. */
export const localExecutor = async (options: LocalOptions): Promise<LocalExecutor> => {
  const cwd = await expectFolder(options.cwd ?? process.cwd())
  const registry = new ToolRegistry(allTools())
  const filters = await loadFilters(options, registry, cwd)
  return { executor: new ToolExecutor(registry, { cwd, filters }), registry, cwd }
}
