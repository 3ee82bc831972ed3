/** Which call, if any, the code of a foreign tool runs for: its shared API objects act on behalf of it. */
import { AsyncLocalStorage } from "node:async_hooks"
import type { CallingAgent, HandlerContext } from "../pipeline/model/handler.ts"
import type { ChangeRecorder } from "../undo/changes.ts"

export interface CurrentCall {
  readonly callId: string
  readonly agent: CallingAgent
  readonly signal: AbortSignal
  /** Of the executor that runs the call; nothing for listeners. */
  readonly onShutdown?: HandlerContext["onShutdown"]
  /** Where nothing is kept, and for listeners: nothing. */
  readonly changes?: ChangeRecorder | undefined
}

export const currentCall = new AsyncLocalStorage<CurrentCall>()
