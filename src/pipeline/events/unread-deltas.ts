/** The sizes of the unread deltas, which are limited in number and in bytes. */
import type { DeltaEvent, ToolEvent } from "../../model/event.ts"
import type { Mutable } from "../../model/mutable.ts"

const mergedChars = 65_536
const omission = "[earlier output left out]\n"

/** Appends to a delta. Returns whether the text had to be cut. */
const merge = (event: Mutable<DeltaEvent>, content: string, partial: unknown): boolean => {
  event.content += content
  if (partial !== undefined) event.partial = partial
  // Cut only at twice the limit, so that the average cost of a merge stays constant.
  if (event.content.length <= 2 * mergedChars) return false
  event.content = omission + event.content.slice(-mergedChars)
  return true
}

/** The bytes that an unread delta occupies. */
interface DeltaSize {
  readonly content: number
  readonly partial: number
}

const partialBytes = (partial: unknown): number => {
  if (partial === undefined) return 0
  try {
    return Buffer.byteLength(JSON.stringify(partial) ?? "")
  } catch {
    return 0
  }
}

/** The limits of unread deltas. */
export interface DeltaBounds {
  readonly deltas: number
  readonly bytes: number
}

/** The total size of the unread deltas, updated with each change. */
export class UnreadDeltas {
  private readonly sizes = new Map<ToolEvent, DeltaSize>()
  private readonly bounds: DeltaBounds
  private bytes = 0

  constructor(bounds: DeltaBounds) {
    this.bounds = bounds
  }

  /** Whether there is room for another delta. */
  get hasRoom(): boolean {
    return this.sizes.size < this.bounds.deltas && this.bytes < this.bounds.bytes
  }

  private measure(event: DeltaEvent, size: DeltaSize): void {
    this.forget(event)
    this.sizes.set(event, size)
    this.bytes += size.content + size.partial
  }

  /** Removes a delta that was read or taken back. */
  forget(event: DeltaEvent): void {
    const size = this.sizes.get(event)
    if (size === undefined) return
    this.sizes.delete(event)
    this.bytes -= size.content + size.partial
  }

  /** Merges text into an unread delta. */
  mergeInto(event: Mutable<DeltaEvent>, content: string, partial: unknown): void {
    const before = this.sizes.get(event)
    const isCut = merge(event, content, partial)
    // Measured again only after a cut, so that the average cost of a merge stays constant.
    const known = isCut
      ? Buffer.byteLength(event.content)
      : (before?.content ?? 0) + Buffer.byteLength(content)
    this.measure(event, {
      content: known,
      partial: partial === undefined ? (before?.partial ?? 0) : partialBytes(partial),
    })
  }

  /** Adds a delta. */
  add(event: DeltaEvent): void {
    const { content, partial } = event
    this.measure(event, { content: Buffer.byteLength(content), partial: partialBytes(partial) })
  }

  /** How many waiting handlers may continue: each waiting handler has one delta past the limit. */
  roomFor(waiting: number): number {
    if (this.bytes > this.bounds.bytes) return 0
    return waiting - Math.max(0, this.sizes.size - this.bounds.deltas)
  }
}
