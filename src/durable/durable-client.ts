/** The client of a store: it runs no calls. */
import type { ToolCall } from "../model/call.ts"
import { type DurableTasks, StoredTasks } from "./durable-tasks.ts"
import type { CallRequest } from "./requests.ts"
import type { CallStore } from "./store.ts"
import { StoredCalls } from "./stored-calls.ts"

/** Reads and answers the calls that other processes run. */
export class DurableClient extends StoredCalls {
  readonly tasks: DurableTasks

  /** @internal */
  constructor(store: CallStore) {
    super(store)
    this.tasks = new StoredTasks(store, (callId) => this.ask({ _tag: "Take", callId }))
  }

  close(): Promise<void> {
    return this.store.close()
  }

  protected submit(calls: ReadonlyArray<ToolCall>): Promise<void> {
    return this.store.enqueue(calls)
  }

  protected ask(request: CallRequest): Promise<unknown> {
    return this.store.ask(request)
  }
}
