/**
 * The order in which code gets its answers. Code that starts again in another process gets them in the same order, because its
 * next calls can depend on it: of two branches of a `Promise.all`, the one that was answered first made its next call first.
 */

/** The answers that were given while another request was open: how many came before, and the number of the request. */
export type AnswersAmong = Array<readonly [before: number, request: number]>

/** The order of one run. */
export class AnswerOrder {
  private readonly among: AnswersAmong
  /** How many answers of an earlier process have a known place. */
  private readonly known: number
  private asked = 0
  private given = 0
  /** How many places of `among` are behind. */
  private passed = 0
  /** The requests without an answer, the oldest first. */
  private readonly open = new Set<number>()
  /** The requests whose answers are ready. */
  private readonly ready = new Map<number, () => void>()

  /** @param among Of an earlier process, if any. Stored with the call. */
  constructor(among: AnswersAmong) {
    this.among = among
    this.known = (among.at(-1)?.[0] ?? -1) + 1
  }

  /** Resolves with the answer once its turn has come. */
  async inTurn<A>(answer: A | Promise<A>): Promise<A> {
    const request = this.asked++
    this.open.add(request)
    try {
      return await answer
    } finally {
      await new Promise<void>((resolve) => {
        this.ready.set(request, resolve)
        // Later, when this answer is awaited like those that it lets pass: otherwise they would overtake it.
        queueMicrotask(() => this.give())
      })
    }
  }

  /** The request that is answered next, if any can be. */
  private get next(): number | undefined {
    if (this.given >= this.known) return this.ready.keys().next().value
    const [before, request] = this.among[this.passed]!
    return before === this.given ? request : this.open.values().next().value
  }

  private give(): void {
    for (let next = this.next; next !== undefined; next = this.next) {
      const resolve = this.ready.get(next)
      if (resolve === undefined) return
      if (this.given >= this.known && this.open.size > 1) this.among.push([this.given, next])
      this.open.delete(next)
      this.ready.delete(next)
      if (this.among[this.passed]?.[0] === this.given) this.passed += 1
      this.given += 1
      resolve()
    }
  }
}
