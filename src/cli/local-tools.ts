/** The tools of a command: built-in ones, and those of other agents that lie in their usual places or are named. */
import { homedir } from "node:os"
import type { CustomTools, CustomToolsOptions } from "../custom-tools/custom-tools.ts"
import { resolveToolPath } from "../custom-tools/loading/tool-paths.ts"
import type { EnvironmentRules } from "../io/environment.ts"
import { ToolRegistry } from "../pipeline/model/registry.ts"
import type { Tool } from "../pipeline/model/tool.ts"
import { shortPath } from "./short-path.ts"
import type { TrustOptions } from "./trust/trust.ts"

export interface ToolsOptions extends TrustOptions {
  /** Modules and folders of tools to load besides. */
  readonly toolPath?: ReadonlyArray<string>
  /** Whether to look for tools where other agents keep theirs. Default true. */
  readonly discovery?: boolean
  /** Names of variables that commands get though they look like secrets. */
  readonly passEnv?: ReadonlyArray<string>
}

/** The environment of commands and programs of a command line. */
export const environmentRules = ({ passEnv = [] }: ToolsOptions): EnvironmentRules => ({
  pass: ["*", ...passEnv],
})

export interface LocalTools {
  readonly registry: ToolRegistry
  readonly customTools: CustomTools | undefined
}

/** Where to look for tools. `false` also where there are none to be found. */
const whereToLook = async (
  options: ToolsOptions,
  cwd: string,
  home: string,
): Promise<CustomToolsOptions["discovery"]> => {
  if (options.discovery === false) return false
  const { findModules, projectCode } = await import("./trust/project-code.ts")
  const { user, project } = await findModules(cwd, home)
  const code = await projectCode(cwd, project)
  if (code !== undefined) {
    const { isTrusted } = await import("./trust/trust.ts")
    if (await isTrusted(code, cwd, home, options)) return "all"
  }
  return user.length > 0 && "home"
}

/** `cwd` is absolute. */
export const localTools = async (
  builtIn: Iterable<Tool>,
  options: ToolsOptions,
  cwd: string,
): Promise<LocalTools> => {
  const registry = new ToolRegistry(builtIn)
  const home = homedir()
  const { toolPath = [] } = options
  const discovery = await whereToLook(options, cwd, home)
  // What loads them takes longer to load than all else.
  if (discovery === false && toolPath.length === 0) return { registry, customTools: undefined }
  const { CustomTools } = await import("../custom-tools/custom-tools.ts")
  // As a shell's user means it: from where the command is typed, wherever the tools are to work.
  const paths = toolPath.map((path) => resolveToolPath(path, process.cwd(), home))
  const customTools = await CustomTools.load({
    cwd,
    registry,
    paths,
    discovery: discovery ?? false,
    env: environmentRules(options),
  })
  return { registry, customTools }
}

/** What could not be loaded, a line each. */
export const loadErrors = (customTools: CustomTools | undefined, cwd: string): Array<string> =>
  (customTools?.errors ?? []).map(({ path, error }) => `${shortPath(path, cwd)}: ${error}`)
