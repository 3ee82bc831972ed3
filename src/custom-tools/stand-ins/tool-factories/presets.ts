/** The sets of tools that pi gives its agents. */
import type { AnyToolDefinition } from "../../extension.ts"
import { type BashToolOptions, createBashTool } from "./bash.ts"
import { createEditTool, type EditToolOptions } from "./edit.ts"
import { createFindTool, type FindToolOptions } from "./find.ts"
import { createGrepTool, type GrepToolOptions } from "./grep.ts"
import { createLsTool, type LsToolOptions } from "./ls.ts"
import { createReadTool, type ReadToolOptions } from "./read.ts"
import { createWriteTool, type WriteToolOptions } from "./write.ts"

export interface ToolsOptions {
  readonly read?: ReadToolOptions
  readonly bash?: BashToolOptions
  readonly edit?: EditToolOptions
  readonly write?: WriteToolOptions
  readonly grep?: GrepToolOptions
  readonly find?: FindToolOptions
  readonly ls?: LsToolOptions
}

/** `read`, `bash`, `edit` and `write`. */
export const createCodingTools = (cwd: string, options: ToolsOptions = {}): Array<AnyToolDefinition> => [
  createReadTool(cwd, options.read),
  createBashTool(cwd, options.bash),
  createEditTool(cwd, options.edit),
  createWriteTool(cwd, options.write),
]

/** `read`, `grep`, `find` and `ls`. */
export const createReadOnlyTools = (cwd: string, options: ToolsOptions = {}): Array<AnyToolDefinition> => [
  createReadTool(cwd, options.read),
  createGrepTool(cwd, options.grep),
  createFindTool(cwd, options.find),
  createLsTool(cwd, options.ls),
]
