/** What loaders of foreign tools are told. All of it is optional. */
import type { EnvironmentRules } from "../../io/environment.ts"
import type { PushedAction } from "../../pipeline/model/pending-actions.ts"
import type { CustomToolHost } from "../host.ts"
import type { ArgumentOrder } from "../loaded-tool.ts"
import type { ModuleLoader } from "./module-loader.ts"
import type { StandInMode } from "./resolve-module.ts"

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
