/** The tools of a command: built-in ones, and those of other agents, from their usual places or named ones. */
import { realpath } from "node:fs/promises"
import { homedir } from "node:os"
import type { CustomTools, CustomToolsOptions } from "../custom-tools/custom-tools.ts"
import type { ModuleLoader } from "../custom-tools/loading/module-loader.ts"
import { resolveToolPath } from "../custom-tools/loading/tool-paths.ts"
import type { EnvironmentRules } from "../io/environment.ts"
import { ToolRegistry } from "../model/registry.ts"
import type { Tool } from "../model/tool.ts"
import type { TrustedProject } from "./kept-rules.ts"
import { shortPath } from "./short-path.ts"
import type { ProjectCode } from "./trust/project-code.ts"
import type { TrustOptions } from "./trust/trust.ts"

export interface ToolsOptions extends TrustOptions {
  /** Further modules and folders of tools to load. */
  readonly toolPath?: ReadonlyArray<string>
  /** Whether to look for tools in the places of other agents. Default true. */
  readonly discovery?: boolean
  /** Whether to include the tool for code that calls the others. Default false. */
  readonly code?: boolean
  /** Names of variables that commands get although they look like secrets. */
  readonly passEnv?: ReadonlyArray<string>
}

/** The environment rules for commands and programs. */
export const environmentRules = ({ passEnv = [] }: ToolsOptions): EnvironmentRules => ({
  pass: ["*", ...passEnv],
})

export interface LocalTools {
  readonly registry: ToolRegistry
  readonly customTools: CustomTools | undefined
  /** Whether there can be more tools, which were not looked for. */
  readonly isPart: boolean
  /** The folder, if its code and rules are trusted. */
  readonly project: TrustedProject | undefined
}

interface Places {
  /** Where to look for tools. `false` also if there are none to be found. */
  readonly discovery: NonNullable<CustomToolsOptions["discovery"]>
  readonly project: TrustedProject | undefined
  /** The only code that may be loaded; undefined if nobody was asked about it. */
  readonly code?: ProjectCode
}

const whereToLook = async (options: ToolsOptions, cwd: string, home: string): Promise<Places> => {
  if (options.discovery === false) return { discovery: false, project: undefined }
  const { findModules, projectCode } = await import("./trust/project-code.ts")
  const { user, project } = await findModules(cwd, home)
  const discovery = user.length > 0 && "home"
  const code = await projectCode(cwd, home, project)
  if (code === undefined) return { discovery, project: undefined }
  const { trustOf } = await import("./trust/trust.ts")
  const look = async () => projectCode(cwd, home, (await findModules(cwd, home)).project)
  const trust = await trustOf(code, cwd, home, options, look)
  if (trust === false) return { discovery, project: undefined }
  const { folder, modules, rules } = code
  return {
    discovery: modules.length > 0 ? "all" : discovery,
    project: { folder, rules, isKept: trust === "kept" },
    ...(modules.length > 0 && code.hash !== undefined && options.trust !== true && { code }),
  }
}

const loaderOf = async (code: ProjectCode, home: string, isAll: boolean): Promise<ModuleLoader> => {
  const { ModuleLoader } = await import("../custom-tools/loading/module-loader.ts")
  const { expectTrusted } = await import("./trust/trusted-files.ts")
  return new ModuleLoader({ check: expectTrusted(code, await realpath(home), isAll) })
}

/**
 * `cwd` is absolute.
 *
 * @param isAlone Whether only one built-in tool is called: then no others are loaded.
 */
export const localTools = async (
  builtIn: Iterable<Tool>,
  options: ToolsOptions,
  cwd: string,
  isAlone = false,
): Promise<LocalTools> => {
  const registry = new ToolRegistry(builtIn)
  if (options.code === true) {
    const { runCodeTool } = await import("../code/index.ts")
    registry.register(runCodeTool({ tools: () => true }))
  }
  const home = homedir()
  const { toolPath = [] } = options
  const { discovery, project, code } = await whereToLook(options, cwd, home)
  // Their loader takes longer to load than everything else.
  if (isAlone || (discovery === false && toolPath.length === 0))
    return { registry, customTools: undefined, isPart: discovery !== false, project }
  const { CustomTools } = await import("../custom-tools/custom-tools.ts")
  // Relative to where the command is typed, as shell users expect, not to `--cwd`.
  const paths = toolPath.map((path) => resolveToolPath(path, process.cwd(), home))
  const customTools = await CustomTools.load({
    cwd,
    registry,
    paths,
    discovery,
    env: environmentRules(options),
    ...(code !== undefined && { loader: await loaderOf(code, home, paths.length === 0) }),
  })
  return { registry, customTools, isPart: false, project }
}

/** The tools that could not be loaded, one line each. */
export const loadErrors = (customTools: CustomTools | undefined, cwd: string): Array<string> =>
  (customTools?.errors ?? []).map(({ path, error }) => `${shortPath(path, cwd)}: ${error}`)
