/** The executor of a command: the built-in tools, on this machine, under the rules of the command line. */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { subagentTools } from "../impls/index.ts"
import { ToolExecutor } from "../pipeline/executor.ts"
import { ToolRegistry } from "../pipeline/registry.ts"
import type { NvimEditor, NvimSocket } from "./nvim-editor.ts"
import { loadFilters, type RuleOptions } from "./rules.ts"
import { UsageError } from "./usage-error.ts"

export interface LocalOptions extends RuleOptions {
  /** The folder that the tools work in. Default: the process's. */
  readonly cwd?: string
  /** The Neovim that shows what is edited. Default: none. */
  readonly nvim?: NvimSocket
}

export interface LocalExecutor {
  readonly executor: ToolExecutor
  /** Absolute. */
  readonly cwd: string
  /** Its connection is closed after the executor was shut down. */
  readonly editor: NvimEditor | undefined
}

const openEditor = async (socket: NvimSocket | undefined): Promise<NvimEditor | undefined> => {
  if (socket === undefined) return undefined
  const { NvimEditor } = await import("./nvim-editor.ts")
  return new NvimEditor(socket)
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
  const registry = new ToolRegistry(subagentTools())
  const filters = await loadFilters(options, registry, cwd)
  const editor = await openEditor(options.nvim)
  const executor = new ToolExecutor(registry, { cwd, filters, delegates: editor?.host.delegates ?? {} })
  return { executor, cwd, editor }
}
