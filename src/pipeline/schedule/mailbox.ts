/**
 * What is to be done for the calls of one executor, in the order of its coming. What a host's answer brings about is done
 * in a microtask, when the host's own code has returned; what a handler's end brings about is done at once.
 */
import { soon } from "./soon.ts"

/** Who does what was sent. Never throws. */
export interface Receiver<Message> {
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

  /** Delivers all, also what comes meanwhile. */
  deliver(): void {
    if (this.delivering) return
    this.delivering = true
    try {
      while (this.head < this.tail) {
        const at = this.head
        const receiver = this.receivers[at]!
        const message = this.messages[at]!
        this.receivers[at] = undefined
        this.head += 1
        if (this.head === this.tail) this.startOver()
        receiver.execute(message)
      }
    } finally {
      this.delivering = false
    }
  }

  private startOver(): void {
    this.head = 0
    this.tail = 0
    if (this.receivers.length <= keptSlots) return
    this.receivers = []
    this.messages = []
  }
}
