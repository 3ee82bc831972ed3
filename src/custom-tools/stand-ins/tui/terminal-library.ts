/**
 * pi's own library for terminals, where it is installed beside stepline: it serves what takes keys or shows images. Loaded
 * when a tool first uses a part of it; most tools only draw.
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

/** Undefined where it is not installed. */
export const terminalLibrary = (): Library | undefined => {
  loaded ??= { library: load() }
  return loaded.library
}

/** What it has under a name; else what tells that it is needed. */
export const terminalPart = (name: string): unknown => terminalLibrary()?.[name] ?? needsTerminalLibrary(name)
