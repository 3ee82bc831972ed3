/** The exit of a command, from the details of its output: an output for the model, a failure for people. */

/** Undefined where no command ran. Null where a signal ended it. */
export const exitCodeOf = (details: unknown): number | null | undefined => {
  if (typeof details !== "object" || details === null || !("exitCode" in details)) return undefined
  const { exitCode } = details
  return typeof exitCode === "number" || exitCode === null ? exitCode : undefined
}

/** Whether a command ran and ended otherwise than with 0. */
export const isFailedCommand = (details: unknown): boolean => {
  const exitCode = exitCodeOf(details)
  return exitCode !== undefined && exitCode !== 0
}
