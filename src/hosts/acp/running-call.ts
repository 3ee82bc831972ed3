/** The running call, whose tool call shows what a machine does for it. */
import { AsyncLocalStorage } from "node:async_hooks"

/** What a machine reports to the call that it works for. */
export interface RunningCall {
  /** A terminal of the client that shows what the call runs. */
  addTerminal(terminalId: string): void
}

/** Each call runs in the async context of its caller. */
export const runningCall = new AsyncLocalStorage<RunningCall>()
