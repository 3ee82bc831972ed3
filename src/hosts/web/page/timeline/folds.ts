/** Folds the time in which no handler runs: on the timeline, a long wait takes no more space than a short one. */
import { firstWhere } from "../../../../text/first-where.ts"
import type { CallRow, SpanRow } from "../../state/page-state.ts"

/** A stretch of time, in epoch milliseconds. */
interface Stretch {
  readonly from: number
  readonly to: number
}

/** From which share of the busy time a wait is long, and which share its fold takes. */
const longShare = 0.2
const foldShare = 0.04
/** In milliseconds: a shorter wait is never folded. */
const shortest = 1000

const isWork = ({ kind }: SpanRow): boolean => kind !== "gate" && kind !== "wait"

/** Since when a handler of the call runs, if one does. */
export const worksSince = ({ endedAt, spans }: CallRow): number | undefined =>
  endedAt === undefined ? spans.find((span) => span.to === undefined && isWork(span))?.from : undefined

/** The stretches in which a handler has run, or a call has begun or ended: in order, not overlapping. */
export class BusyTimes {
  readonly stretches: Array<Stretch> = []

  /** Adds the finished parts of a call. Adding a part again has no effect. */
  add({ spans, startedAt, endedAt }: CallRow): void {
    if (startedAt !== undefined) this.join(startedAt, startedAt)
    for (const span of spans) if (span.to !== undefined && isWork(span)) this.join(span.from, span.to)
    if (endedAt !== undefined) this.join(endedAt, endedAt)
  }

  private join(from: number, to: number): void {
    const { stretches } = this
    const end = firstWhere(stretches, (stretch) => stretch.from > to)
    const begin = firstWhere(stretches, (stretch) => stretch.to >= from)
    const joined = stretches.slice(begin, end)
    stretches.splice(begin, end - begin, {
      from: Math.min(from, joined[0]?.from ?? from),
      to: Math.max(to, joined.at(-1)?.to ?? to),
    })
  }
}

/** A stretch in which nothing runs: its start on the scale, and by how much it is shortened. */
export interface Fold extends Stretch {
  readonly at: number
  readonly less: number
}

const widthOf = ({ from, to, less }: Fold): number => to - from - less

/** A scale on which long waits are short. Positions are milliseconds, like times, except for the folds. */
export class FoldedScale {
  readonly folds: ReadonlyArray<Fold>

  /** `runningSince`: when the first running handler began. `now`: the end of the scale if none runs. */
  constructor({ stretches }: BusyTimes, runningSince: number | undefined, now: number) {
    const end = runningSince ?? now
    const ranges = stretches.slice(
      0,
      firstWhere(stretches, ({ from }) => from >= end),
    )
    let busy = now - end
    for (const { from, to } of ranges) busy += to - from
    // In steps, so that the picture does not change with each call.
    const total = 2 ** Math.ceil(Math.log2(Math.max(shortest, busy)))
    const folds: Array<Fold> = []
    let gone = 0
    for (const [index, { to: from }] of ranges.entries()) {
      const to = Math.min(ranges[index + 1]?.from ?? end, end)
      if (to - from <= total * longShare || to - from <= shortest) continue
      const less = to - from - total * foldShare
      folds.push({ from, to, at: from - gone, less })
      gone += less
    }
    this.folds = folds
  }

  /** The last fold that begins before a time. */
  private before(time: number): Fold | undefined {
    return this.folds[firstWhere(this.folds, ({ from }) => from >= time) - 1]
  }

  /** The position of a time. */
  at(time: number): number {
    const fold = this.before(time)
    if (fold === undefined) return time
    const { from, to, at } = fold
    const width = widthOf(fold)
    return time >= to ? at + width + time - to : at + (width * (time - from)) / (to - from)
  }

  /** The time at a position. */
  timeAt(position: number): number {
    const fold = this.folds[firstWhere(this.folds, ({ at }) => at >= position) - 1]
    if (fold === undefined) return position
    const { from, to, at } = fold
    const width = widthOf(fold)
    return position >= at + width
      ? position - at - width + to
      : from + ((position - at) * (to - from)) / width
  }

  /** The fold of a time, if it has one. */
  foldOf(time: number): Fold | undefined {
    const fold = this.before(time)
    return fold !== undefined && time < fold.to ? fold : undefined
  }
}
