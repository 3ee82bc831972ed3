/** Holds what is told of each call to its order: `Started`, what comes between, and one end. */
import type { ToolEvent } from "../../../../src/index.ts"
import { isTerminal } from "../../../../src/testing.ts"

interface Told {
  started: boolean
  deltas: number
  end: ToolEvent["_tag"] | undefined
}

export class EventOrder {
  readonly faults: Array<string> = []
  private readonly calls = new Map<string, Told>()
  private seq = 0

  told(event: ToolEvent): void {
    if (event.seq <= this.seq) this.faults.push(`${event._tag} has seq ${event.seq} after ${this.seq}`)
    this.seq = event.seq
    if (!("callId" in event)) return
    const { callId } = event
    const call = this.calls.get(callId) ?? { started: false, deltas: 0, end: undefined }
    this.calls.set(callId, call)
    const fault = this.step(call, event)
    if (fault !== undefined) this.faults.push(`${callId}: ${fault}`)
  }

  private step(call: Told, event: ToolEvent): string | undefined {
    if (call.end !== undefined) return `${event._tag} after ${call.end}`
    if (isTerminal(event)) {
      call.end = event._tag
      const isFirst = !call.started && event._tag !== "Cancelled"
      return isFirst ? `${event._tag} without Started` : undefined
    }
    if (event._tag === "Started") {
      if (call.started) return "Started twice"
      call.started = true
      return undefined
    }
    if (!call.started) return `${event._tag} before Started`
    if (event._tag !== "Delta") return undefined
    call.deltas += 1
    return event.content === String(call.deltas) ? undefined : `delta ${event.content} as ${call.deltas}.`
  }

  /** Whether the call completed. */
  isComplete(callId: string): boolean {
    return this.calls.get(callId)?.end === "Completed"
  }

  /** Calls that were told of, and have not ended. */
  get open(): number {
    return [...this.calls.values()].filter(({ end }) => end === undefined).length
  }

  /** Forgets the calls that are over. */
  reset(): void {
    this.calls.clear()
  }
}
