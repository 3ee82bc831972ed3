/** Mistakes in the command line. */
import { messageOf } from "../text/message-of.ts"

/** A mistake that the user can correct: reported in one or two sentences, without a stack, with exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Converts the error of something that cannot be opened, such as a used port, or that needs a missing package. */
export const asUsageError =
  (where = "") =>
  (error: unknown): never => {
    throw new UsageError(`${where}${messageOf(error)}`)
  }
