/**
 * pi's own terminal library, if it is installed beside stepline: for components that take keys or show images. Loaded when a
 * tool first uses one; most tools only draw.
 */
import { requireBeside } from "../../../io/beside.ts"
import { isMissingModule } from "../../../io/missing-module.ts"
import { needsTerminalLibrary } from "../unavailable.ts"

type Library = Readonly<Record<string, unknown>>

let loaded: { readonly library: Library | undefined } | undefined

const load = (): Library | undefined => {
  try {
    return requireBeside("@mariozechner/pi-tui")
  } catch (error) {
    if (isMissingModule(error)) return undefined
    throw error
  }
}

/** Returns undefined if it is not installed. */
export const terminalLibrary = (): Library | undefined => {
  loaded ??= { library: load() }
  return loaded.library
}

/** An export of the library; else a stand-in that throws an error about the missing library. */
export const terminalPart = (name: string): unknown => terminalLibrary()?.[name] ?? needsTerminalLibrary(name)
