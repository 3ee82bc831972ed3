import { AsyncResource } from "node:async_hooks"

/**
 * The async context (`AsyncLocalStorage`) for starting work that outlives its call, such as a connection. In the call's own context,
 * such work would keep alive whatever the enqueuer's context holds, such as a request. This context dates from the loading of the
 * package.
 */
export const beyondCalls = new AsyncResource("stepline.executor", { requireManualDestroy: true })
