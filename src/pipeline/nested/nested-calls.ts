/**
 * The open nested calls of one outer call. The outer call's running time pauses while all of them wait: for their hosts, at
 * limits or for their turns.
 */
import type { ToolResult } from "../../model/event.ts"
import type { Stopped } from "../../model/outcome.ts"
import type { CallState, Place } from "../call/state.ts"

/** The data of a nested call that its outer call reads. */
interface OpenCall {
  readonly state: CallState
  readonly place: Place
  readonly nested: NestedCalls<OpenCall> | undefined
}

/** The handler that waits for a nested call. */
export interface Waiter {
  readonly resolve: (result: ToolResult) => void
  readonly reject: (reason: unknown) => void
}

const waiting: ReadonlySet<CallState["_tag"]> = new Set(["Asking", "Limited", "Held"])

/** Whether the call waits, itself or in its own nested calls. */
const isWaiting = ({ state, place, nested }: OpenCall): boolean =>
  waiting.has(state._tag) || (state._tag === "Running" && (place === "asked" || nested?.areWaiting === true))

/** The open nested calls of one outer call. */
export class NestedCalls<C extends OpenCall> {
  /** How many calls the handlers have made. The ids continue from here. */
  made: number
  /** The value of `areWaiting` that the outer call last received. */
  wereWaiting = false
  /** The value is undefined for a restored call until its handler, which runs again, makes the same call. */
  private readonly open = new Map<C, Waiter | undefined>()
  private readonly waiting = new Set<C>()
  private readonly over: Array<() => void> = []
  /** Functions that deliver results to handlers that wait for a place in the background pool. */
  private held: Array<() => void> = []

  constructor(made: number) {
    this.made = made
  }

  get isOpen(): boolean {
    return this.open.size > 0
  }

  /** Whether there are open calls, and all of them wait. */
  get areWaiting(): boolean {
    return this.open.size > 0 && this.waiting.size === this.open.size
  }

  has(call: C): boolean {
    return this.open.has(call)
  }

  /** Adds a call, or the waiter of a call that was added before. */
  add(call: C, waiter?: Waiter): void {
    this.open.set(call, waiter)
    this.moved(call)
  }

  /** Updates a call after its state has changed. */
  moved(call: C): void {
    if (this.open.has(call) && isWaiting(call)) this.waiting.add(call)
    else this.waiting.delete(call)
  }

  /** Removes a call that has ended or become its own task. `holds`: its handler receives the result with `release`. */
  ended(call: C, result: ToolResult, holds: boolean): void {
    const waiter = this.open.get(call)
    this.open.delete(call)
    this.waiting.delete(call)
    if (holds) this.held.push(() => waiter?.resolve(result))
    else waiter?.resolve(result)
    if (this.isOpen) return
    for (const act of this.over.splice(0)) act()
  }

  /** Delivers the results that were held back. */
  release(): void {
    for (const give of this.held.splice(0)) give()
  }

  /** Rejects the promises of the handlers. The calls stay open. */
  reject(reason: unknown): void {
    this.release()
    for (const [call, waiter] of this.open) {
      this.open.set(call, undefined)
      waiter?.reject(reason)
    }
  }

  /** Cancels all open calls. */
  cancel(outcome: Stopped, cancel: (call: C, outcome: Stopped) => unknown): void {
    for (const call of [...this.open.keys()]) cancel(call, outcome)
  }

  /** Calls the function once no call is open, or at once if none is. */
  onceOver(act: () => void): void {
    if (this.isOpen) this.over.push(act)
    else act()
  }
}
