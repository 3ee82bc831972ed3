/**
 * What happened, for pages that read it one after another: the state, and behind it the last changes, in batches with ids. A
 * page that lost its connection goes on where it was; one that was away for too long is given the state anew.
 */
import { type CallRow, emptyState, type PageInfo, type PageState, plainState } from "../state/page-state.ts"
import { type Change, reduceOwn } from "../state/reduce.ts"

/** Characters of changes, about, that are kept for pages that are behind. */
const maxKept = 2_000_000
/** Changes that come together while no page is there to be told. */
const maxPending = 500
/** Milliseconds in which changes come together to one batch. */
const batchTime = 40

interface Batch {
  readonly number: number
  readonly size: number
  /** Worded when the first page asks for it: there may be none. */
  told: string | ReadonlyArray<Change>
}

/** The call whose row alone a change is about. */
const rowOf = (change: Change): number | undefined => {
  switch (change._tag) {
    case "Started":
    case "SpanBegan":
    case "SpanEnded":
    case "Backgrounded":
    case "Ended":
    case "Kept":
    case "Forgotten":
      return change.key
    default:
      return undefined
  }
}

/** The changes as pages are told them: a call that has just come is told once, as it stands after all of them. */
const coalesced = (
  changes: ReadonlyArray<Change>,
  calls: ReadonlyMap<number, CallRow>,
): ReadonlyArray<Change> => {
  const fresh = new Set<number>()
  const told: Array<Change> = []
  for (const change of changes) {
    if (change._tag === "Queued") {
      const { key } = change.call
      const call = calls.get(key)
      fresh.add(key)
      if (call !== undefined) told.push({ _tag: "Queued", call: { ...call } })
    } else if (change._tag === "Touched") {
      const keys = change.keys.filter((key) => !fresh.has(key))
      if (keys.length > 0) told.push({ _tag: "Touched", keys })
    } else {
      const key = rowOf(change)
      if (key === undefined || !fresh.has(key)) told.push(change)
    }
  }
  return told
}

/** In characters, about. */
const sizeOf = (change: Change): number => {
  switch (change._tag) {
    case "Queued":
      return 300 + change.call.title.length + change.call.name.length + 100 * change.call.spans.length
    case "Asked":
      return 300 + change.question.title.length + (change.question.label?.length ?? 0)
    case "Staged":
      return 300 + change.action.label.length
    case "DialogAsked":
      return 50_000
    case "Said":
      return 100 + change.note.text.length
    case "Started":
      return 60 + change.title.length
    case "Touched":
    case "Dropped":
      return 20 + 8 * change.keys.length
    default:
      return 100
  }
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
  private readonly batches: Array<Batch> = []
  private kept = 0
  private last = 0
  private timer: NodeJS.Timeout | undefined
  /** Whether a page was ever here: before that, none can be behind. */
  private hasReaders = false
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
    if (this.readers.size > 0) this.timer ??= setTimeout(() => this.flush(), batchTime).unref()
    else if (this.pending.length >= maxPending) this.flush()
  }

  /** The state, with all that happened so far. */
  get current(): PageState {
    this.flush()
    return this.state
  }

  /** Calls the reader when there is something new. Gives what ends that. */
  onNews(reader: () => void): () => void {
    this.flush()
    this.hasReaders = true
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
    const batch = this.batches[number + 1 - first]!
    if (typeof batch.told !== "string") batch.told = JSON.stringify(batch.told)
    return { number: number + 1, event: "changes", json: batch.told }
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
    this.state = reduceOwn(this.state, changes)
    this.last += 1
    if (!this.hasReaders) return
    const told = coalesced(changes, this.state.calls)
    let size = 0
    for (const change of told) size += sizeOf(change)
    this.batches.push({ number: this.last, told, size })
    this.kept += size
    while (this.kept > maxKept) this.kept -= this.batches.shift()!.size
    for (const reader of this.readers) reader()
  }
}
