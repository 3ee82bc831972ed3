/** Says what to install. */
export const notInstalled = (name: string, version: string): string =>
  `The package ${name} is not installed. Install it: npm install ${name}@${version}`

/** Whether an import failed because a module, or one that it needs, is not installed. */
export const isMissingModule = (cause: unknown): boolean => {
  const code = (cause as NodeJS.ErrnoException | null | undefined)?.code
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND"
}
