/**
 * What is to be done for the calls of one executor, in the order of its coming. What a host's answer brings about is done
 * in a microtask, when the host's own code has returned; what a handler's end brings about is done at once.
 */
import type { AsyncResource } from "node:async_hooks"
import { soon } from "./soon.ts"

/** Who does what was sent. Never throws. */
export interface Receiver<Message> {
  /** Where it does it: the async context (`AsyncLocalStorage`) of whoever enqueued it, whoever sends the message. */
  readonly asyncContext: AsyncResource
  execute(message: Message): void
}

/** A burst must not keep its memory once it is done. */
const keptSlots = 1024

/** What waits to be done, in order. Messages that come while one is being done wait behind it. */
export class Mailbox<Message> {
  /** Receivers and messages side by side, from `head` to `tail`. Rarely more than a few: it starts over when it is empty. */
  private receivers: Array<Receiver<Message> | undefined> = []
  private messages: Array<Message | undefined> = []
  private head = 0
  private tail = 0
  private scheduled = false
  private delivering = false
  /** Whether it may be done now. Where not, all that waits stays, until `deliver` is called again. */
  gate: ((receiver: Receiver<Message>, message: Message) => boolean) | undefined
  private readonly deliverScheduled = () => {
    this.scheduled = false
    this.deliver()
  }

  /** Whether nothing waits to be done. */
  get isEmpty(): boolean {
    return this.head === this.tail
  }

  send(receiver: Receiver<Message>, message: Message): void {
    this.receivers[this.tail] = receiver
    this.messages[this.tail] = message
    this.tail += 1
  }

  /** Delivers in a microtask, unless it is delivering already. */
  schedule(): void {
    if (this.scheduled || this.delivering || this.isEmpty) return
    this.scheduled = true
    void soon.then(this.deliverScheduled)
  }

  /** Delivers all, also what comes meanwhile. `here`: whose async context this is already. */
  deliver(here?: Receiver<Message>): void {
    if (this.delivering) return
    this.delivering = true
    try {
      while (this.head < this.tail) {
        const receiver = this.receivers[this.head]!
        if (this.isShut) return
        if (receiver === here) this.deliverTo(receiver)
        else receiver.asyncContext.runInAsyncScope(this.deliverTo, this, receiver)
      }
    } finally {
      this.delivering = false
    }
  }

  /** All that comes next and is for this receiver. */
  private deliverTo(receiver: Receiver<Message>): void {
    do {
      const at = this.head
      const message = this.messages[at]!
      this.receivers[at] = undefined
      this.head += 1
      if (this.head === this.tail) this.startOver()
      receiver.execute(message)
    } while (this.head < this.tail && this.receivers[this.head] === receiver && !this.isShut)
  }

  /** What waits is not done any more, and what comes is not asked for. */
  leave(): void {
    this.gate = undefined
    this.startOver()
  }

  private get isShut(): boolean {
    return this.gate !== undefined && !this.gate(this.receivers[this.head]!, this.messages[this.head]!)
  }

  private startOver(): void {
    this.head = 0
    this.tail = 0
    if (this.receivers.length <= keptSlots) return
    this.receivers = []
    this.messages = []
  }
}
