/** Ensures that loaded files are the trusted ones: the same bytes as when they were read. */
import { isWithin } from "../../io/is-within.ts"
import { contentHash } from "./code-hash.ts"
import type { ProjectCode } from "./project-code.ts"

/**
 * Returns a check that throws for a changed file, and for a file of the project that did not exist or was not found then.
 *
 * @param isAll Whether every file loaded from the project must be a trusted one: not if the user names further modules.
 */
export const expectTrusted =
  ({ folder, files }: ProjectCode, home: string, isAll: boolean) =>
  (path: string, content: Uint8Array): void => {
    const known = files.get(path)
    if (known === contentHash(content)) return
    if (known !== undefined) throw new Error(`${path} has changed since you were asked. Start again.`)
    // If the project contains the home folder, the user's own files are in the project too.
    const isUsers = isWithin(folder, home) && isWithin(home, path)
    if (!isAll || isUsers || !isWithin(folder, path)) return
    throw new Error(
      `${path} is not among what you were asked about: nothing names it before the code runs. Import it by its path or its name, or load it with --trust.`,
    )
  }
