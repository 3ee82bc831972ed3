/** The error for a caller whose signal was aborted: always an `AbortError`, whatever the signal's reason. */
export const abortError = (signal: AbortSignal): DOMException =>
  signal.reason instanceof DOMException && signal.reason.name === "AbortError"
    ? signal.reason
    : new DOMException("The operation was aborted", "AbortError")
