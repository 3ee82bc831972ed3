/** The message that names the package to install. */
export const notInstalled = (name: string, version: string): string =>
  `The package ${name} is not installed. Install it: npm install ${name}@${version}`

/** Whether an import failed because a module, or one that it needs, is not installed. */
export const isMissingModule = (cause: unknown): boolean => {
  const code = (cause as NodeJS.ErrnoException | null | undefined)?.code
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND"
}

const packageIn = /Cannot find (?:package|module) '((?:@[^/']+\/)?[^/']+)/

/**
 * Returns the message that names the package to install, if an error is caused by a missing peer dependency.
 *
 * @param peers Version ranges by package name.
 */
export const missingPeer = (error: unknown, peers: Readonly<Record<string, string>>): string | undefined => {
  if (!(error instanceof Error)) return undefined
  if (!isMissingModule(error)) {
    const { cause } = error
    return cause !== undefined && isMissingModule(cause) ? error.message : undefined
  }
  const name = packageIn.exec(error.message)?.[1] ?? ""
  const [version] = /(?:0\.)?\d+/.exec(peers[name] ?? "") ?? []
  return version === undefined ? undefined : notInstalled(name, version)
}
