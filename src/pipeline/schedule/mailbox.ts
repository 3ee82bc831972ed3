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
  /** Calls and commands side by side, from `head` to `tail`. Rarely more than a few: it starts over when it is empty. */
  private calls: Array<Call | undefined> = []
  private commands: Array<Command | undefined> = []
  private head = 0
  private tail = 0
  private scheduled = false
  private delivering = false
  /** Whether it may be done now. Where not, all that waits stays, until `deliver` is called again. */
  gate: ((call: Call, command: Command) => boolean) | undefined
  /** The call whose commands `push` takes. */
  private sender: Call | undefined
  private readonly execute: (call: Call, command: Command) => void
  private readonly deliverScheduled = () => {
    this.scheduled = false
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

  send(call: Call, command: Command): void {
    this.calls[this.tail] = call
    this.commands[this.tail] = command
    this.tail += 1
  }

  /** As where the commands of this call's transition go. */
  for(call: Call): this {
    this.sender = call
    return this
  }

  push(command: Command): void {
    this.send(this.sender!, command)
  }

  /** The call that it last was for has ended: nothing is to keep that call. */
  release(): void {
    this.sender = undefined
  }

  /** Delivers in a microtask, unless it is delivering already. */
  schedule(): void {
    if (this.scheduled || this.delivering || this.isEmpty) return
    this.scheduled = true
    void soon.then(this.deliverScheduled)
  }

  /** Delivers all, also what comes meanwhile. `here`: whose async context this is already. */
  deliver(here?: Call): void {
    if (this.delivering) return
    this.delivering = true
    try {
      while (this.head < this.tail) {
        const call = this.calls[this.head]!
        if (this.isShut) return
        if (call === here) this.deliverTo(call)
        else call.origin.runInAsyncScope(this.deliverTo, this, call)
      }
    } finally {
      this.delivering = false
    }
  }

  /** All that comes next and is for this call. */
  private deliverTo(call: Call): void {
    do {
      const at = this.head
      const command = this.commands[at]!
      this.calls[at] = undefined
      this.head += 1
      if (this.head === this.tail) this.startOver()
      this.execute(call, command)
    } while (this.head < this.tail && this.calls[this.head] === call && !this.isShut)
  }

  /** What waits is not done any more, and what comes is not asked for. */
  leave(): void {
    this.gate = undefined
    this.startOver()
  }

  private get isShut(): boolean {
    return this.gate !== undefined && !this.gate(this.calls[this.head]!, this.commands[this.head]!)
  }

  private startOver(): void {
    this.head = 0
    this.tail = 0
    if (this.calls.length <= keptSlots) return
    this.calls = []
    this.commands = []
  }
}
