/**
 * The queue of commands of one executor. The commands that follow from a host's answer are carried out in a microtask, when the
 * host's own code has returned; those that follow from a handler's end are carried out at once.
 */
import type { Call } from "../call/call.ts"
import type { Command, Outbox } from "../call/command.ts"
import { soon } from "./soon.ts"

/** A larger array is replaced when it is empty, so that a burst does not keep its memory. */
const keptSlots = 1024

/**
 * The waiting commands, in order. A command that is pushed while another is being carried out waits behind it. Each command is
 * carried out in the async context of its call's enqueuer.
 */
export class Mailbox implements Outbox {
  /** The call that pushed commands belong to. */
  sender: Call | undefined
  /** Whether the next command may be carried out. If not, all commands wait until `deliver` is called again. */
  gate: ((call: Call, command: Command) => boolean) | undefined
  /** Calls and their commands, in parallel arrays from `head` to `tail`. They are reused from the start whenever they are empty. */
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

  /** @param execute Carries out a command. Never throws. */
  constructor(execute: (call: Call, command: Command) => void) {
    this.execute = execute
  }

  /** Whether no command waits. */
  get isEmpty(): boolean {
    return this.head === this.tail
  }

  push(command: Command): void {
    this.calls[this.tail] = this.sender
    this.commands[this.tail] = command
    this.tail += 1
  }

  /** Delivers in a microtask, unless a delivery is running or scheduled. */
  schedule(): void {
    if (this.isScheduled || this.isDelivering || this.head === this.tail) return
    this.isScheduled = true
    void soon.then(this.deliverScheduled)
  }

  /** Delivers all commands, also those that are pushed meanwhile. `here`: the call whose async context is active already. */
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

  /** Delivers the consecutive commands of one call. */
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
      if (!call.isLeft) this.execute(call, command)
    } while (
      this.head < this.tail &&
      this.calls[this.head] === call &&
      (this.gate === undefined || this.gate(call, this.commands[this.head]!))
    )
  }

  /** Drops the waiting commands, and removes the gate. */
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
