/** The options of the loaders of foreign tools. All are optional. */
import type { EnvironmentRules } from "../../io/environment.ts"
import { got } from "../../model/got.ts"
import type { PushedAction } from "../../model/pending-actions.ts"
import type { CustomToolHost, Logger } from "../host.ts"
import type { ArgumentOrder } from "../loaded-tool.ts"
import { ModuleLoader } from "./module-loader.ts"
import type { StandInMode } from "./resolve-module.ts"

/** How modules of other agents are loaded. */
export interface LoadOptions {
  /** The home folder, for `~` and discovery. Default: that of the process's user. */
  readonly home?: string
  readonly host?: CustomToolHost
  /** When our own modules stand in for the packages that tools import. Default `"auto"`: if those are not installed. */
  readonly standIns?: StandInMode
  /** Time limit for a module, and then for its factory, in milliseconds. Default 10,000, on a busy machine up to 40,000. */
  readonly loadTimeout?: number
  /** For modules that do not specify it themselves. Default `"current"`. */
  readonly argumentOrder?: ArgumentOrder
  /** A loader to share modules between loads. It uses its own `standIns` and `loadTimeout`. Default: a new one. */
  readonly loader?: ModuleLoader
  /**
   * `"process"`: each module runs in a Node process of its own, so that it cannot block, crash or change this one. Its renderers,
   * `prepareArguments`, `formatApprovalDetails`, previews and bus do not work there, and its session and list of tools are its
   * own. Default: in this process.
   */
  readonly isolate?: "process"
  /**
   * Which environment variables of this process `exec` passes to programs, and `isolate` to modules. Default: all that do not
   * look like secrets.
   */
  readonly env?: EnvironmentRules
  /** Receives previews that code stages outside of any call. Default: such code cannot stage previews. */
  readonly pendingActions?: { push(action: PushedAction): unknown }
}

/** The options of loaders that also discover tools. */
export interface DiscoveryOptions extends LoadOptions {
  /**
   * Which of the usual places to search: the user's own, also those of `cwd`, or none. Default `"home"`: a project's code
   * can do everything that this process can, so a host must opt in for projects that it trusts.
   */
  readonly discovery?: "home" | "all" | false
}

/** Throws a TypeError for an invalid `isolate`. */
export const expectIsolate = (isolate: unknown): void => {
  if (isolate === undefined || isolate === "process") return
  throw new TypeError(`Expected \`isolate\` to be "process", ${got(isolate)}`)
}

/** Throws a TypeError for an invalid `discovery`. */
export const expectDiscovery = (discovery: unknown): void => {
  if (discovery === "home" || discovery === "all" || discovery === false) return
  throw new TypeError(`Expected \`discovery\` to be "home", "all" or false, ${got(discovery)}`)
}

export const loaderOf = (options: LoadOptions, logger: Logger): ModuleLoader => {
  expectIsolate(options.isolate)
  return options.loader ?? new ModuleLoader({ ...options, logger })
}
