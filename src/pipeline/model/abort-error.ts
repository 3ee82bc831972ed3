/** What the caller of something that its signal has aborted is rejected with: an `AbortError`, whatever the signal's reason. */
export const abortError = (signal: AbortSignal): DOMException =>
  signal.reason instanceof DOMException && signal.reason.name === "AbortError"
    ? signal.reason
    : new DOMException("The operation was aborted", "AbortError")
