/** The exit of a command, from the details of its output. A nonzero exit is an output for the model, but a failure for people. */

/** Returns undefined if no command ran, null if a signal ended it. */
export const exitCodeOf = (details: unknown): number | null | undefined => {
  if (typeof details !== "object" || details === null || !("exitCode" in details)) return undefined
  const { exitCode } = details
  return typeof exitCode === "number" || exitCode === null ? exitCode : undefined
}

/** Whether a command ran, and its exit code was not 0. */
export const isFailedCommand = (details: unknown): boolean => {
  const exitCode = exitCodeOf(details)
  return exitCode !== undefined && exitCode !== 0
}
