/**
 * What happened, for pages that read it one after another: the state, and behind it the last changes, in batches with ids. A
 * page that lost its connection goes on where it was; one that was away for too long is given the state anew.
 */
import { emptyState, type PageInfo, type PageState, plainState } from "../state/page-state.ts"
import { type Change, reduce } from "../state/reduce.ts"

/** Characters of changes that are kept for pages that are behind. */
const maxKept = 2_000_000
/** Milliseconds in which changes come together to one batch. */
const batchTime = 40

interface Batch {
  readonly number: number
  readonly json: string
}

/** What a page is told next. */
export interface LogMessage {
  /** Where the page stands once it has read it. */
  readonly number: number
  readonly event: "state" | "changes"
  readonly json: string
}

/** The state of one executor, and how it came about. */
export class ChangeLog {
  private state: PageState
  private pending: Array<Change> = []
  private touched = new Set<number>()
  private batches: Array<Batch> = []
  private kept = 0
  private last = 0
  private timer: NodeJS.Timeout | undefined
  private readonly readers = new Set<() => void>()

  constructor(info: PageInfo) {
    this.state = emptyState(info)
  }

  /** The number of the last batch. */
  get number(): number {
    return this.last
  }

  /** Notes what happened. What was touched often is told once. */
  readonly add = (change: Change): void => {
    if (change._tag === "Touched") for (const key of change.keys) this.touched.add(key)
    else this.pending.push(change)
    this.timer ??= setTimeout(() => this.flush(), batchTime).unref()
  }

  /** The state, with all that happened so far. */
  get current(): PageState {
    this.flush()
    return this.state
  }

  /** Calls the reader when there is something new. Gives what ends that. */
  onNews(reader: () => void): () => void {
    this.readers.add(reader)
    return () => this.readers.delete(reader)
  }

  /** What comes behind that batch, one message at a time; undefined where there is nothing. Without a number, the state. */
  after(number: number | undefined): LogMessage | undefined {
    if (number === undefined) this.flush()
    if (number === this.last) return undefined
    const first = this.batches[0]?.number ?? this.last + 1
    if (number === undefined || number + 1 < first || number > this.last) {
      const state = this.current
      return { number: this.last, event: "state", json: JSON.stringify(plainState(state)) }
    }
    const { json } = this.batches[number + 1 - first]!
    return { number: number + 1, event: "changes", json }
  }

  /** Tells at once what was not told yet. */
  flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const changes = this.pending
    if (this.touched.size > 0) changes.push({ _tag: "Touched", keys: [...this.touched] })
    if (changes.length === 0) return
    this.pending = []
    this.touched = new Set()
    this.state = reduce(this.state, changes)
    this.last += 1
    const json = JSON.stringify(changes)
    this.batches.push({ number: this.last, json })
    this.kept += json.length
    while (this.kept > maxKept) this.kept -= this.batches.shift()!.json.length
    for (const reader of this.readers) reader()
  }
}
