/** Where a call comes from: when it was enqueued, and in which async context (`AsyncLocalStorage`) all of it runs. */
import { AsyncResource } from "node:async_hooks"

const manually = { requireManualDestroy: true }

/** Shared by the calls that are enqueued together. */
export class Origin extends AsyncResource {
  /** Epoch milliseconds. Not there for a single call whose turn comes at once. */
  readonly at: number | undefined

  constructor(at: number | undefined) {
    super("stepline.call", manually)
    this.at = at
  }
}
