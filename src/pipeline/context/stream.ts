/** What a call streams: its unread deltas, which the queue bounds, and their text, for the result of a call that ends early. */

import { isInBackground, type PlacedCall } from "../call/in-background.ts"
import type { DeltaSource } from "../events/event-sink.ts"
import { Transcript } from "../events/transcript.ts"

/** The stream of one call. Created with its first delta. */
export class CallStream implements DeltaSource {
  lastDelta: DeltaSource["lastDelta"]
  room: DeltaSource["room"]
  readonly transcript = new Transcript()
  private readonly call: PlacedCall

  constructor(call: PlacedCall) {
    this.call = call
  }

  get agentId(): string {
    return this.call.toolCall.agentId
  }

  get callId(): string {
    return this.call.toolCall.callId
  }

  get background(): boolean {
    return isInBackground(this.call)
  }

  get parentId(): string | undefined {
    return this.call.toolCall.parentId
  }
}
