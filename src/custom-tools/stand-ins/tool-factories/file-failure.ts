/** The error for the model about a file that could not be changed. */

/** Makes the error with only the code of a system error, whose message would name files that the model does not know. */
export const fileFailure = (action: "edit" | "write", path: string, cause: unknown): Error => {
  const code = (cause as { code?: unknown } | null)?.code
  const message = cause instanceof Error ? cause.message : String(cause)
  const reason = code === undefined ? message.replace(/\.$/, "") : `Error code: ${code}`
  return new Error(`Could not ${action} file: ${path}. ${reason}.`, { cause })
}
