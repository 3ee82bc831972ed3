/** Mistakes of whoever gave the command line. */
import { messageOf } from "../text/message-of.ts"

/** What the user can put right: told in one or two sentences, without a stack, with exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** For what cannot be opened, such as a port that is taken, or needs a package that is not installed. */
export const asUsageError =
  (where = "") =>
  (error: unknown): never => {
    throw new UsageError(`${where}${messageOf(error)}`)
  }
