/** Loads jiti with the first foreign module. It reads files of its own package, so a bundle cannot hold it. */
import { requireBeside } from "../../io/beside.ts"
import { isMissingModule } from "../../io/missing-module.ts"

type JitiModule = typeof import("jiti")

const loadJiti = (): JitiModule => {
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

/** jiti's `createJiti`. Throws an Error that names the package to install if it is missing, for example beside a bundle. */
export const createJiti: JitiModule["createJiti"] = (...options) => loadJiti().createJiti(...options)
