/// <reference types="node" preserve="true" />
/** `stepline/durable`: the same executor on a store, so that calls survive the death of their process. */
export type { DurableCalls, ResolveOptions } from "./durable-calls.ts"
export { DurableClient } from "./durable-client.ts"
export { DurableExecutor, type DurableLayerOptions } from "./durable-service.ts"
export type { DurableTasks } from "./durable-tasks.ts"
export type { EventsOptions } from "./event-log.ts"
export type { AnswerItem, AskedQuestion, InboxItem, InboxOptions, WaitingCall } from "./inbox.ts"
export {
  type OpenClientOptions,
  type OpenDurableOptions,
  openDurableExecutor,
} from "./open-durable-executor.ts"
export type { PoisonedCall } from "./poisoned.ts"
export type { EffectAnswer } from "./requests.ts"
export type { DurableOptions } from "./runner.ts"
export { StoreError } from "./store-error.ts"
export type { StoredEvent } from "./stored-event.ts"
