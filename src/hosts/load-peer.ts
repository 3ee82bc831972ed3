/** Loads packages that only one host needs, when it first serves. The error for a missing one names the package to install. */
import { createRequire } from "node:module"
import { delimiter, isAbsolute, join } from "node:path"
import { pathToFileURL } from "node:url"
import { isMissingModule, notInstalled } from "../io/missing-module.ts"
import { messageOf } from "../text/message-of.ts"

/** The form of npx's own folders of programs. */
const npxFolder = /[\\/]_npx[\\/][0-9a-f]+[\\/]node_modules[\\/]\.bin$/

/**
 * `npx -p stepline -p PEER` uses an installed stepline, and puts a missing peer into a separate folder, which appears only
 * in PATH. Other folders of PATH can belong to a project, and are not searched.
 */
const fromNpx = (specifier: string): string | undefined => {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    if (!isAbsolute(folder) || !npxFolder.test(folder)) continue
    try {
      return pathToFileURL(createRequire(join(folder, "_")).resolve(specifier)).href
    } catch {
      // The folder can belong to another run of npx, such as an outer one.
    }
  }
  return undefined
}

/**
 * Loads an optional package. Rejects with an Error that explains how to install a missing one.
 *
 * @param specifier The module to import. Default: the name of the package.
 */
export const loadPeer = async <Module>(
  name: string,
  range: string,
  load: () => Promise<Module>,
  specifier = name,
): Promise<Module> => {
  try {
    return await load().catch((error) => {
      const elsewhere = isMissingModule(error) ? fromNpx(specifier) : undefined
      if (elsewhere === undefined) throw error
      return import(elsewhere) as Promise<Module>
    })
  } catch (cause) {
    throw new Error(
      isMissingModule(cause)
        ? notInstalled(name, range)
        : `The package ${name} could not be loaded: ${messageOf(cause)}`,
      { cause },
    )
  }
}
