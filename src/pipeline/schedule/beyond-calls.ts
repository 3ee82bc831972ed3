import { AsyncResource } from "node:async_hooks"

/**
 * Where that is begun which outlives the call it is begun for: what the async context (`AsyncLocalStorage`) of that call's
 * enqueuer holds, such as a request, must not be kept with it. Its own context is that in which the package was first loaded.
 */
export const beyondCalls = new AsyncResource("stepline.executor", { requireManualDestroy: true })
