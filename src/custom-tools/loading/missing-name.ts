/** The sentence for an import that a stand-in cannot answer. */
export const missingName = (name: string, specifier: string, importer: string): Error =>
  new Error(
    `${importer} imports "${name}" from "${specifier}", which stepline's stand-in does not have: install the package beside the tool`,
  )
