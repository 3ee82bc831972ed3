/** Loads jiti with the first foreign module. It reads files of its own package, so a bundle cannot hold it. */
import type { Jiti } from "jiti"
import { requireBeside } from "../../io/beside.ts"
import { isMissingModule } from "../../io/missing-module.ts"

const loadJiti = (): typeof import("jiti") => {
  try {
    return requireBeside("jiti")
  } catch (cause) {
    if (!isMissingModule(cause)) throw cause
    throw new Error(
      "The package jiti, which loads foreign tools, is not beside this bundle: npm install jiti@2",
      {
        cause,
      },
    )
  }
}

/**
 * A jiti for the module at a path, without caches of its own. Throws an Error that names the package to install if it is
 * missing, for example beside a bundle.
 */
export const jitiAt = (path: string): Jiti =>
  loadJiti().createJiti(path, { fsCache: false, moduleCache: false, debug: false })
