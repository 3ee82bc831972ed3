/**
 * Bare promises again, with what stepline promises of each call and they do not: it starts when the caller's code has returned,
 * in the async context that it was enqueued in; its parameters are checked; its events are numbered and dated. What this costs
 * more than `bare.ts`, no executor can save.
 */
import { AsyncResource } from "node:async_hooks"
import { BareCall, type BareEvent, BareExecutor, type BareInput } from "./bare.ts"

const returned = Promise.resolve()

const checkParams = (params: unknown): void => {
  if (typeof params !== "object" || params === null) throw new TypeError("Expected an object")
  if (!("text" in params) || typeof params.text !== "string") throw new TypeError("Expected a string as text")
}

class ContractCall extends BareCall {
  readonly origin: AsyncResource

  constructor(callId: string, input: BareInput, origin: AsyncResource) {
    super(callId, input)
    this.origin = origin
  }
}

export class ContractExecutor extends BareExecutor {
  private told = 0
  /** Of the calls that are being enqueued. */
  private origin: AsyncResource | undefined

  override enqueue(inputs: ReadonlyArray<BareInput>): Array<string> {
    this.origin = new AsyncResource("enqueued", { requireManualDestroy: true })
    return super.enqueue(inputs)
  }

  protected override make(callId: string, input: BareInput): BareCall {
    return new ContractCall(callId, input, this.origin!)
  }

  protected override begin(call: BareCall): void {
    const { origin } = call as ContractCall
    void returned.then(() => origin.runInAsyncScope(this.start, this, call))
  }

  private start(call: BareCall): void {
    checkParams(call.params)
    void this.perform(call)
  }

  protected override push(event: BareEvent): void {
    const stamped = event as BareEvent & { seq?: number; at?: number }
    this.told += 1
    stamped.seq = this.told
    stamped.at = Date.now()
    super.push(stamped)
  }
}
