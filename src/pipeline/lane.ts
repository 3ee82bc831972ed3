/** The foreground calls of one agent: one has its turn, the others wait in order. */
import { Fifo } from "./fifo.ts"

export class Lane<T> {
  /** The one that has its turn. */
  current: T | undefined
  /** Whether somebody is about to give the next turn. */
  pumping = false
  readonly waiting = new Fifo<T>()

  get isIdle(): boolean {
    return this.current === undefined && this.waiting.size === 0
  }
}
