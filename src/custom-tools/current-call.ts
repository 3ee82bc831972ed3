/** Which call, if any, the code of a foreign tool runs for: its shared API objects act on behalf of it. */
import { AsyncLocalStorage } from "node:async_hooks"
import type { CallingAgent } from "../pipeline/model/handler.ts"

export interface CurrentCall {
  readonly callId: string
  readonly agent: CallingAgent
  readonly signal: AbortSignal
}

export const currentCall = new AsyncLocalStorage<CurrentCall>()
