/** Places for running background calls. p-queue hands them out: by priority, and among equals in the order of asking. */
import PQueue from "p-queue"
import type { Call } from "../call/call.ts"

/** What one call asked for. */
interface Ask {
  /** Undefined once the call has left the line: the ask is passed over when its turn comes. */
  call: Call | undefined
  isInLine: boolean
  /** Ends what p-queue takes for running. Set while the call has its place. */
  giveBack: (() => void) | undefined
}

const over = Promise.resolve()

/** A number of places, and the line of the calls that wait for one. */
export class Pool {
  private readonly concurrency: number
  /** Told that there is a place. Gives false where the call does not want it any more. */
  private readonly placed: (call: Call) => boolean
  private queue: PQueue | undefined
  private readonly asks = new Map<Call, Ask>()
  /** How many asks in the line have no call any more. */
  private gone = 0

  constructor(places: number, placed: (call: Call) => boolean) {
    this.concurrency = places
    this.placed = placed
  }

  /** True where there is a place at once. Else `placed` is called when there is one, unless the call leaves before. */
  take(call: Call): boolean {
    const ask: Ask = { call, isInLine: false, giveBack: undefined }
    this.asks.set(call, ask)
    this.queue ??= new PQueue({ concurrency: this.concurrency })
    // Where there is a place, `begin` is called before `add` returns.
    void this.queue.add(() => this.begin(ask), { priority: call.toolCall.priority ?? 0 })
    ask.isInLine = ask.giveBack === undefined
    return !ask.isInLine
  }

  /** Gives the place back, or leaves the line. */
  release(call: Call): void {
    const ask = this.asks.get(call)
    if (ask === undefined) return
    this.asks.delete(call)
    ask.call = undefined
    ask.giveBack?.()
    if (!ask.isInLine) return
    this.gone += 1
    if (this.gone < this.queue!.size) return
    // Nobody waits any more: what is left in the line is not kept until its turn.
    this.gone = 0
    this.queue!.clear()
  }

  /** The place is taken until the promise resolves. */
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
