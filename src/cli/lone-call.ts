/**
 * Detects a command line that calls one built-in tool: loading tools of other agents for it could take longer than
 * everything else.
 */
import { readConfigFile } from "./config-file.ts"
import type { LimitOptions } from "./limits.ts"
import type { ToolsOptions } from "./local-tools.ts"
import type { RuleOptions } from "./rules.ts"

export interface LoneCallOptions {
  /** The only tool that is called. */
  readonly lone?: string
}

/** Whether nothing on the command line concerns other tools than the built-in ones. `builtIn`: their names. */
export const isLoneCall = async (
  options: LoneCallOptions & ToolsOptions & RuleOptions & LimitOptions,
  builtIn: ReadonlySet<string>,
): Promise<boolean> => {
  const { lone, toolPath = [], trust, allow = [], deny = [], limit = [], config } = options
  if (lone === undefined || !builtIn.has(lone)) return false
  if (toolPath.length > 0 || trust === true || limit.length > 0) return false
  const { tools, limits } = config === undefined ? { tools: {}, limits: [] } : await readConfigFile(config)
  // A rule can be for a tool that is not loaded yet.
  const inRules = [...allow, ...deny].map((text) => text.slice(0, text.indexOf("=")))
  return limits.length === 0 && [...Object.keys(tools), ...inRules].every((name) => builtIn.has(name))
}
