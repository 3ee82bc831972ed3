/** The module loader of a load: a shared one, or a new one. */
import type { Logger } from "../logger.ts"
import { expectIsolate, type LoadOptions } from "./load-options.ts"
import { ModuleLoader } from "./module-loader.ts"

export const loaderOf = (options: LoadOptions, logger: Logger): ModuleLoader => {
  expectIsolate(options.isolate)
  return options.loader ?? new ModuleLoader({ ...options, logger })
}
