/**
 * What is to be done for the calls of one executor, in the order of its coming. What a host's answer brings about is done
 * in a microtask, when the host's own code has returned; what a handler's end brings about is done at once.
 */
import type { Call } from "../call/call.ts"
import type { Command, Outbox } from "../call/command.ts"
import { soon } from "./soon.ts"

/** A burst must not keep its memory once it is done. */
const keptSlots = 1024

/**
 * What waits to be done, in order. Commands that come while one is being done wait behind it. Each is done in the async context of
 * whoever enqueued its call, whoever sends it.
 */
export class Mailbox implements Outbox {
  /** The call whose commands `push` takes. */
  sender: Call | undefined
  /** Whether it may be done now. Where not, all that waits stays, until `deliver` is called again. */
  gate: ((call: Call, command: Command) => boolean) | undefined
  /** Calls and commands side by side, from `head` to `tail`. Rarely more than a few: it starts over when it is empty. */
  private calls: Array<Call | undefined> = []
  private commands: Array<Command | undefined> = []
  private head = 0
  private tail = 0
  private isScheduled = false
  private isDelivering = false
  private readonly execute: (call: Call, command: Command) => void
  private readonly deliverScheduled = () => {
    this.isScheduled = false
    this.deliver()
  }

  /** @param execute Does what was sent. Never throws. */
  constructor(execute: (call: Call, command: Command) => void) {
    this.execute = execute
  }

  /** Whether nothing waits to be done. */
  get isEmpty(): boolean {
    return this.head === this.tail
  }

  push(command: Command): void {
    this.calls[this.tail] = this.sender
    this.commands[this.tail] = command
    this.tail += 1
  }

  /** Delivers in a microtask, unless it is delivering already. */
  schedule(): void {
    if (this.isScheduled || this.isDelivering || this.head === this.tail) return
    this.isScheduled = true
    void soon.then(this.deliverScheduled)
  }

  /** Delivers all, also what comes meanwhile. `here`: the call whose async context this is already. */
  deliver(here?: Call): void {
    if (this.isDelivering) return
    this.isDelivering = true
    try {
      while (this.head < this.tail) {
        const call = this.calls[this.head]!
        if (this.gate !== undefined && !this.gate(call, this.commands[this.head]!)) return
        if (call === here) this.deliverTo(call)
        else call.origin.runInAsyncScope(this.deliverTo, this, call)
      }
      if (this.calls.length > keptSlots) this.startOver()
    } finally {
      this.isDelivering = false
    }
  }

  /** All that comes next and is for this call. */
  private deliverTo(call: Call): void {
    do {
      const at = this.head
      const command = this.commands[at]!
      this.calls[at] = undefined
      this.head += 1
      if (this.head === this.tail) {
        this.head = 0
        this.tail = 0
      }
      this.execute(call, command)
    } while (
      this.head < this.tail &&
      this.calls[this.head] === call &&
      (this.gate === undefined || this.gate(call, this.commands[this.head]!))
    )
  }

  /** What waits is not done any more, and what comes is not asked for. */
  leave(): void {
    this.gate = undefined
    this.startOver()
  }

  private startOver(): void {
    this.head = 0
    this.tail = 0
    this.calls = []
    this.commands = []
  }
}
