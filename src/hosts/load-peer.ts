/** The packages that only one host needs: loaded when it first serves, with an error that says what to install. */
import { isMissingModule, notInstalled } from "../io/missing-module.ts"
import { messageOf } from "../text/message-of.ts"

/** Loads an optional package. Throws an Error that says how to install it where it is missing. */
export const loadPeer = async <Module>(
  name: string,
  range: string,
  load: () => Promise<Module>,
): Promise<Module> => {
  try {
    return await load()
  } catch (cause) {
    throw new Error(
      isMissingModule(cause)
        ? notInstalled(name, range)
        : `The package ${name} could not be loaded: ${messageOf(cause)}`,
      { cause },
    )
  }
}
