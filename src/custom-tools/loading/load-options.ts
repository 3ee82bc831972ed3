/** What loaders of foreign tools are told. All of it is optional. */
import type { EnvironmentRules } from "../../io/environment.ts"
import { got } from "../../pipeline/model/got.ts"
import type { PushedAction } from "../../pipeline/model/pending-actions.ts"
import type { CustomToolHost } from "../host.ts"
import type { ArgumentOrder } from "../loaded-tool.ts"
import type { ModuleLoader } from "./module-loader.ts"
import type { StandInMode } from "./resolve-module.ts"

/** How modules of other agents are loaded. */
export interface LoadOptions {
  /** The user's folder, where `~` leads and discovery looks. Default: the process's user's. */
  readonly home?: string
  readonly host?: CustomToolHost
  /** When our own modules answer for the packages that tools import. Default `"auto"`: where those are not installed. */
  readonly standIns?: StandInMode
  /** Milliseconds that a module, and then its factory, may take. Default 10,000. */
  readonly loadTimeout?: number
  /** For modules that do not say it themselves. Default `"current"`. */
  readonly argumentOrder?: ArgumentOrder
  /** To share modules between loads. It goes by its own `standIns` and `loadTimeout`. Default: a new one. */
  readonly loader?: ModuleLoader
  /** Which variables of this process programs get that tools run with `exec`. Default: all that look like no secrets. */
  readonly env?: EnvironmentRules
  /** Where code outside of any call stages previews. Default: such code cannot. */
  readonly pendingActions?: { push(action: PushedAction): unknown }
}

/** The same where tools are also looked for. */
export interface DiscoveryOptions extends LoadOptions {
  /**
   * Which of the usual places to look in: the user's own, those of `cwd` too, or none. Default `"home"`: what lies in a
   * project runs with all that this process may do, so a host names the projects that it trusts.
   */
  readonly discovery?: "home" | "all" | false
}

/** Throws a TypeError for what is no `discovery`. */
export const expectDiscovery = (discovery: unknown): void => {
  if (discovery === "home" || discovery === "all" || discovery === false) return
  throw new TypeError(`Expected \`discovery\` to be "home", "all" or false, ${got(discovery)}`)
}
