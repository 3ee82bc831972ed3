/** A queue of calls that limits how many may begin in any period of a given length. One deadline serves the whole queue. */
import type { Call } from "../pipeline/call/call.ts"
import { Fifo } from "../pipeline/schedule/fifo.ts"
import { Ring } from "../pipeline/schedule/ring.ts"
import type { Deadlines, Expiring } from "../pipeline/time/deadlines.ts"

interface Taken {
  /** When it stops counting, in milliseconds of the executor's clock. */
  readonly until: number
  readonly cost: number
}

/** The costs counted in the last period, and the calls that wait for room in it. */
export class Rate {
  private readonly max: number
  private readonly per: number
  private readonly deadlines: Deadlines
  /** Lets the call begin. Returns false if the call no longer wants to. */
  private readonly placed: (call: Call) => boolean
  /** Oldest first. */
  private readonly taken = new Ring<Taken>()
  private used = 0
  private readonly line = new Fifo<Call>()
  private readonly costs = new Map<Call, number>()
  private readonly freed: Expiring

  constructor(max: number, per: number, deadlines: Deadlines, placed: (call: Call) => boolean) {
    this.max = max
    this.per = per
    this.deadlines = deadlines
    this.placed = placed
    this.freed = { expiresAt: 0, slot: -1, expire: () => this.pump() }
  }

  /** Returns true if the call may begin at once. Otherwise `placed` is called when it may, unless the call leaves before that. */
  take(call: Call, cost: number): boolean {
    if (this.line.size === 0 && this.wait(cost) === 0) {
      this.count(cost)
      return true
    }
    this.line.add(call)
    this.costs.set(call, cost)
    this.arm()
    return false
  }

  /** Leaves the queue. The cost of a call that has begun stays counted. */
  release(call: Call): void {
    const wasFirst = this.line.first() === call
    if (!this.line.delete(call)) return
    this.costs.delete(call)
    if (!wasFirst) return
    this.deadlines.clear(this.freed)
    this.arm()
  }

  /** The milliseconds until there is room for this cost, which is at most `max`. */
  wait(cost: number): number {
    const now = this.deadlines.now()
    const { taken } = this
    for (let first = taken.first(); first !== undefined && first.until <= now; first = taken.first()) {
      taken.shift()
      this.used = taken.length === 0 ? 0 : this.used - first.cost
    }
    let used = this.used
    let until = now
    for (let index = 0; used + cost > this.max && index < taken.length; index += 1) {
      const next = taken.at(index)
      used = index === taken.length - 1 ? 0 : used - next.cost
      until = next.until
    }
    return until - now
  }

  private count(cost: number): void {
    if (cost === 0) return
    this.taken.push({ until: this.deadlines.now() + this.per, cost })
    this.used += cost
  }

  /** Takes back the last counted cost, for a call that has not begun. */
  private uncount(cost: number): void {
    if (cost === 0) return
    this.taken.pop()
    this.used -= cost
  }

  private arm(): void {
    const next = this.line.first()
    if (next !== undefined && !this.deadlines.isSet(this.freed))
      this.deadlines.set(this.freed, this.wait(this.costs.get(next)!))
  }

  private pump(): void {
    for (let next = this.line.first(); next !== undefined; next = this.line.first()) {
      const cost = this.costs.get(next)!
      if (this.wait(cost) > 0) break
      this.line.delete(next)
      this.costs.delete(next)
      // Counted before the call begins, because its code may enqueue others.
      this.count(cost)
      if (!this.placed(next)) this.uncount(cost)
    }
    this.arm()
  }
}
