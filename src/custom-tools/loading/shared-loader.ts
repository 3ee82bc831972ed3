/** The module loader of a load: the one that several loads share, or one of its own. */
import { messageOf } from "../../pipeline/failure.ts"
import type { Logger } from "../logger.ts"
import type { LoadOptions } from "./load-options.ts"
import { ModuleLoader } from "./module-loader.ts"

/** What modules leave to nobody, such as a rejected promise, is logged as a warning. */
export const loaderOf = (options: LoadOptions, logger: Logger): ModuleLoader =>
  options.loader ??
  new ModuleLoader({
    ...options,
    onStrayError: (owner, error) => logger.warn(`${owner} left a failure to nobody: ${messageOf(error)}`),
  })
