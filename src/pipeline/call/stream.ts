/** What a call streams: its deltas, for the queue to bound, and the text of them, for a result that ends early. */
import type { DeltaSource } from "../events/event-sink.ts"
import { Transcript } from "../events/transcript.ts"
import type { ToolCall } from "../model/call.ts"

/** What one call streams. Made with its first delta. */
export class CallStream implements DeltaSource {
  lastDelta: DeltaSource["lastDelta"]
  room: DeltaSource["room"]
  readonly transcript = new Transcript()
  private readonly call: ToolCall

  constructor(call: ToolCall) {
    this.call = call
  }

  get agentId(): string {
    return this.call.agentId
  }

  get callId(): string {
    return this.call.callId
  }

  get background(): boolean {
    return this.call.background
  }
}
