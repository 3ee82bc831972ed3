import type { DelegateCall } from "../../../src/index.ts"

/** What an executor tells an effect's function of the call. */
export const callOf = (
  callId = "1",
  agentId = "main",
  signal = new AbortController().signal,
): DelegateCall => ({
  agentId,
  callId,
  signal,
})
