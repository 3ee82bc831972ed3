/** The error for the model about a file that could not be changed. */

/** Throws with only the code of a system error, whose message would name files that the model does not know. */
export const failingTo =
  (action: "edit" | "write", path: string) =>
  (cause: unknown): never => {
    const code = (cause as { code?: unknown } | null)?.code
    const message = cause instanceof Error ? cause.message : String(cause)
    const reason = code === undefined ? message.replace(/\.$/, "") : `Error code: ${code}`
    throw new Error(`Could not ${action} file: ${path}. ${reason}.`, { cause })
  }
