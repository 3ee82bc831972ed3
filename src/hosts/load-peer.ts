/** The packages that only one host needs: loaded when it first serves, with an error that says what to install. */
import { createRequire } from "node:module"
import { delimiter, isAbsolute, join } from "node:path"
import { pathToFileURL } from "node:url"
import { isMissingModule, notInstalled } from "../io/missing-module.ts"
import { messageOf } from "../text/message-of.ts"

/** What npx names its own folders of programs. */
const npxFolder = /[\\/]_npx[\\/][0-9a-f]+[\\/]node_modules[\\/]\.bin$/

/**
 * `npx -p stepline -p PEER` takes stepline from the folder where it is installed, and puts the peer that is missing there into a
 * folder of npx's own, which it names in PATH alone. No other folder of PATH is looked into: it may be a project's.
 */
const fromNpx = (specifier: string): string | undefined => {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    if (!isAbsolute(folder) || !npxFolder.test(folder)) continue
    try {
      return pathToFileURL(createRequire(join(folder, "_")).resolve(specifier)).href
    } catch {
      // Of another run of npx, such as one that this one is in.
    }
  }
  return undefined
}

/**
 * Loads an optional package. Throws an Error that says how to install it where it is missing.
 *
 * @param specifier What is imported of it. Default: its name.
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
