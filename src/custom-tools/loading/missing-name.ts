/** The sentence for an import that a stand-in cannot answer. */
import { installing } from "../stand-ins/unavailable.ts"

const packageOf = (specifier: string): string =>
  specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")

export const missingName = (name: string, specifier: string, importer: string): Error =>
  new Error(
    `${importer} imports "${name}" from "${specifier}", which stepline's stand-in does not have: ${installing(packageOf(specifier))}`,
  )
