/** What the user can put right: told in one or two sentences, without a stack, with exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}
