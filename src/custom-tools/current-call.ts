/** The call, if any, that the code of a foreign tool runs for: its shared API objects act on behalf of that call. */
import { AsyncLocalStorage } from "node:async_hooks"
import type { CallingAgent, HandlerContext } from "../model/handler.ts"
import type { ChangeRecorder } from "../undo/changes.ts"

export interface CurrentCall {
  readonly callId: string
  readonly agent: CallingAgent
  readonly signal: AbortSignal
  /** From the executor that runs the call; absent for listeners. */
  readonly onShutdown?: HandlerContext["onShutdown"]
  /** Absent if no changes are recorded, and for listeners. */
  readonly changes?: ChangeRecorder | undefined
}

export const currentCall = new AsyncLocalStorage<CurrentCall>()
