/** Holds what is loaded to what was trusted: to the bytes that were read then. */
import { isWithin } from "../../io/is-within.ts"
import { contentHash } from "./code-hash.ts"
import type { ProjectCode } from "./project-code.ts"

/**
 * Throws for a file that is not what it was, and for one of the project that was not there or that nothing named.
 *
 * @param isAll Whether all that is loaded from the project belongs to it: not so where its user names modules besides.
 */
export const expectTrusted =
  ({ folder, files }: ProjectCode, home: string, isAll: boolean) =>
  (path: string, content: Uint8Array): void => {
    const known = files.get(path)
    if (known === contentHash(content)) return
    if (known !== undefined) throw new Error(`${path} has changed since you were asked. Start again.`)
    // In a folder around the home folder, the user's own is the project's too.
    const isUsers = isWithin(folder, home) && isWithin(home, path)
    if (!isAll || isUsers || !isWithin(folder, path)) return
    throw new Error(
      `${path} is not among what you were asked about: nothing names it before the code runs. Import it by its path or its name, or load it with --trust.`,
    )
  }
