/** The places for running background calls. p-queue assigns them by priority, then in the order of requests. */
import PQueue from "p-queue"
import type { Call } from "../call/call.ts"

/** The request of one call. */
interface Ask {
  /** Undefined once the call has left the queue: the request is skipped when its turn comes. */
  call: Call | undefined
  isInLine: boolean
  /** Frees the place in p-queue. Set while the call has its place. */
  giveBack: (() => void) | undefined
}

const over = Promise.resolve()

/** A number of places, and the queue of calls that wait for one. */
export class Pool {
  private readonly concurrency: number
  /** Gives a place to the call. Returns false if the call no longer wants it. */
  private readonly placed: (call: Call) => boolean
  private queue: PQueue | undefined
  private readonly asks = new Map<Call, Ask>()
  /** The number of requests in the queue whose call has left. */
  private gone = 0

  constructor(places: number, placed: (call: Call) => boolean) {
    this.concurrency = places
    this.placed = placed
  }

  /** Returns true if a place is free. Otherwise `placed` is called when one is, unless the call leaves before that. */
  take(call: Call): boolean {
    const ask: Ask = { call, isInLine: false, giveBack: undefined }
    this.asks.set(call, ask)
    this.queue ??= new PQueue({ concurrency: this.concurrency })
    // If a place is free, `begin` is called before `add` returns.
    void this.queue.add(() => this.begin(ask), { priority: call.toolCall.priority ?? 0 })
    ask.isInLine = ask.giveBack === undefined
    return !ask.isInLine
  }

  /** Gives the place back, or leaves the queue. */
  release(call: Call): void {
    const ask = this.asks.get(call)
    if (ask === undefined) return
    this.asks.delete(call)
    ask.call = undefined
    ask.giveBack?.()
    if (!ask.isInLine) return
    this.gone += 1
    if (this.gone < this.queue!.size) return
    // No call waits: drops the leftover requests instead of keeping them until their turn.
    this.gone = 0
    this.queue!.clear()
  }

  /** Holds the place until the promise resolves. */
  private begin(ask: Ask): Promise<void> {
    const { call, isInLine } = ask
    ask.isInLine = false
    if (call === undefined) {
      this.gone -= 1
      return over
    }
    const held = new Promise<void>((resolve) => {
      ask.giveBack = resolve
    })
    if (isInLine) this.tell(call)
    return held
  }

  private tell(call: Call): void {
    if (!this.placed(call)) this.release(call)
  }
}
