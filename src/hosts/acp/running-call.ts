/** The call that is running here: what a machine does for it is shown in its tool call. */
import { AsyncLocalStorage } from "node:async_hooks"

/** What a machine tells of the call that it works for. */
export interface RunningCall {
  /** A terminal of the client that shows what the call runs. */
  addTerminal(terminalId: string): void
}

/** Calls run in the async context of whoever started them. */
export const runningCall = new AsyncLocalStorage<RunningCall>()
