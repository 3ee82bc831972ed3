/**
 * The changes for pages: the state, then the last changes in numbered batches, which pages read one after another. A page
 * that lost its connection continues where it was; one that was away for too long receives the state again.
 */
import { type CallRow, emptyState, type PageInfo, type PageState, plainState } from "../state/page-state.ts"
import { type Change, reduceOwn } from "../state/reduce.ts"

/** The approximate number of characters of changes that are kept for late pages. */
const maxKept = 2_000_000
/** How many changes are collected while no page is connected. */
const maxPending = 500
/** Milliseconds for which changes are collected into one batch. */
const batchTime = 40

interface Batch {
  readonly number: number
  readonly size: number
  /** Converted to text for the first page that reads it. */
  told: string | ReadonlyArray<Change>
}

/** The call of a change that affects only its row. */
const rowOf = (change: Change): number | undefined => {
  switch (change._tag) {
    case "Started":
    case "SpanBegan":
    case "SpanEnded":
    case "Renamed":
    case "Backgrounded":
    case "Ended":
    case "Kept":
    case "Forgotten":
      return change.key
    default:
      return undefined
  }
}

/** The changes for pages: a new call appears once, with all its changes. */
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

/** The approximate size in characters. */
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
    case "Renamed":
      return 60 + change.title.length
    case "Touched":
    case "Dropped":
      return 20 + 8 * change.keys.length
    default:
      return 100
  }
}

/** The next message for a page. */
export interface LogMessage {
  /** The position of the page after this message. */
  readonly number: number
  readonly event: "state" | "changes"
  readonly json: string
}

/** The state of one source, and its changes. */
export class ChangeLog {
  private state: PageState
  private pending: Array<Change> = []
  private touched = new Set<number>()
  private readonly batches: Array<Batch> = []
  private kept = 0
  private last = 0
  private timer: NodeJS.Timeout | undefined
  /** Whether any page ever connected: before that, none can be late. */
  private hasReaders = false
  private readonly readers = new Set<() => void>()

  constructor(info: PageInfo) {
    this.state = emptyState(info)
  }

  /** The number of the last batch. */
  get number(): number {
    return this.last
  }

  /** Adds a change. Several changes of a call are sent as one. */
  readonly add = (change: Change): void => {
    if (change._tag === "Touched") for (const key of change.keys) this.touched.add(key)
    else this.pending.push(change)
    if (this.readers.size > 0) this.timer ??= setTimeout(() => this.flush(), batchTime).unref()
    else if (this.pending.length >= maxPending) this.flush()
  }

  /** The state with all changes so far. */
  get current(): PageState {
    this.flush()
    return this.state
  }

  /** Calls the reader when there are new changes; returns a function that stops it. */
  onNews(reader: () => void): () => void {
    this.flush()
    this.hasReaders = true
    this.readers.add(reader)
    return () => this.readers.delete(reader)
  }

  /** The message after that batch; undefined if there is none. Without a number, the state. */
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

  /** Makes a batch of the pending changes at once. */
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
