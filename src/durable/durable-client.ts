/** The calls of a store that another process runs: they are seen here, and answered. */
import { setTimeout as sleep } from "node:timers/promises"
import type { ToolCallInput } from "../pipeline/model/call.ts"
import type { ApproveOptions } from "../pipeline/model/event.ts"
import { StoreDatabase } from "./database.ts"
import { type DurableCalls, storedResult, type WaitOptions } from "./durable-calls.ts"
import { type EventsOptions, type StoredEvent, storedEvents } from "./event-log.ts"
import { type InboxItem, type InboxOptions, readInbox } from "./inbox.ts"
import { answerTo, type EffectAnswer, putRequest, type Request, type RequestAnswer } from "./requests.ts"

/** Milliseconds between looks at the store. */
const lookAgain = 50

/** Sees and answers the calls that another process runs. */
export class DurableClient implements DurableCalls {
  private readonly database: StoreDatabase
  private readonly closing = new AbortController()

  private constructor(database: StoreDatabase) {
    this.database = database
  }

  /** @internal */
  static async open(path: string): Promise<DurableClient> {
    return new DurableClient(await StoreDatabase.open(path, false))
  }

  async enqueue(calls: ReadonlyArray<ToolCallInput>): Promise<Array<string>> {
    return (await this.ask({ _tag: "Enqueue", calls })) as Array<string>
  }

  async approve(callId: string, options?: ApproveOptions): Promise<boolean> {
    return (await this.ask({ _tag: "Approve", callId, ...(options && { options }) })) === true
  }

  async deny(callId: string, reason?: string): Promise<boolean> {
    return (await this.ask({ _tag: "Deny", callId, ...(reason !== undefined && { reason }) })) === true
  }

  async respond(callId: string, answer: EffectAnswer): Promise<boolean> {
    return (await this.ask({ _tag: "Respond", callId, answer })) === true
  }

  async cancel(callId: string, reason?: string): Promise<boolean> {
    return (await this.ask({ _tag: "Cancel", callId, ...(reason !== undefined && { reason }) })) === true
  }

  async inbox(options?: InboxOptions): Promise<Array<InboxItem>> {
    return readInbox(this.database, options)
  }

  async *events({
    after = 0,
    agentId,
    signal,
  }: EventsOptions = {}): AsyncGenerator<StoredEvent, undefined, undefined> {
    let last = after
    let version: number | undefined
    while (!this.isOver(signal)) {
      // Taken before it is read: what is written meanwhile is seen the next time.
      const seen = this.database.dataVersion
      if (seen === version) {
        await this.pause(signal)
        continue
      }
      const page = storedEvents(this.database, last, agentId)
      if (page.length === 0) version = seen
      for (const event of page) {
        last = event.seq
        yield event
        if (this.isOver(signal)) return
      }
    }
  }

  async result(callId: string): Promise<StoredEvent | undefined> {
    return storedResult(this.database.get("SELECT result FROM calls WHERE call_id = ?", callId))
  }

  async close(): Promise<void> {
    if (this.closing.signal.aborted) return
    this.closing.abort()
    this.database.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private async ask(request: Request): Promise<unknown> {
    const answer = await this.answerOf(putRequest(this.database, request))
    if ("error" in answer) throw new Error(answer.error)
    return answer.took
  }

  private async answerOf(id: number): Promise<RequestAnswer> {
    for (;;) {
      const answer = answerTo(this.database, id)
      if (answer !== undefined) return answer
      await this.pause(undefined)
      if (this.isOver(undefined)) throw new Error("The store was closed: open it again")
    }
  }

  private isOver(signal: WaitOptions["signal"]): boolean {
    return signal?.aborted === true || this.closing.signal.aborted
  }

  private async pause(signal: WaitOptions["signal"]): Promise<void> {
    const ends = [this.closing.signal, ...(signal === undefined ? [] : [signal])]
    await sleep(lookAgain, undefined, { signal: AbortSignal.any(ends) }).catch(() => undefined)
  }
}
