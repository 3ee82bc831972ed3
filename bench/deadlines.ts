/** Time limits of one length: a list in the order in which they run out, and one timer for the first. */

export interface Expiring {
  expiresAt: number
  before: Expiring | undefined
  behind: Expiring | undefined
}

export class Deadlines<T extends Expiring> {
  private readonly millis: number
  private readonly expired: (expiring: T) => void
  private first: Expiring | undefined
  private last: Expiring | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(millis: number, expired: (expiring: T) => void) {
    this.millis = millis
    this.expired = expired
  }

  add(expiring: T): void {
    expiring.expiresAt = Date.now() + this.millis
    expiring.before = this.last
    if (this.last === undefined) this.first = expiring
    else this.last.behind = expiring
    this.last = expiring
    this.timer ??= setTimeout(() => this.expire(), this.millis).unref()
  }

  remove(expiring: Expiring): void {
    const { before, behind } = expiring
    if (before === undefined) this.first = behind
    else before.behind = behind
    if (behind === undefined) this.last = before
    else behind.before = before
    expiring.before = undefined
    expiring.behind = undefined
  }

  private expire(): void {
    this.timer = undefined
    for (let { first } = this; first !== undefined; { first } = this) {
      if (first.expiresAt > Date.now()) {
        this.timer = setTimeout(() => this.expire(), first.expiresAt - Date.now()).unref()
        return
      }
      this.remove(first)
      this.expired(first as T)
    }
  }
}
