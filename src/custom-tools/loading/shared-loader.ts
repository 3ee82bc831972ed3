/** The module loader of a load: the one that several loads share, or one of its own. */
import type { Logger } from "../logger.ts"
import type { LoadOptions } from "./load-options.ts"
import { ModuleLoader } from "./module-loader.ts"

export const loaderOf = (options: LoadOptions, logger: Logger): ModuleLoader =>
  options.loader ?? new ModuleLoader({ ...options, logger })
