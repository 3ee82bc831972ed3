/** Assigns a row to each call's bar: a row for each lane, one for each agent's background, with tracks for overlapping bars. */
import type { CallRow } from "../../state/page-state.ts"
import { BusyTimes } from "./folds.ts"

/** A lane, or an agent's background. */
export interface LaneRow {
  readonly id: string
  readonly label: string
  readonly isBackground: boolean
  /** Bars that do not overlap share a track, in the order of starting. */
  readonly tracks: Array<Array<number>>
  /** The time at which each track is free again. */
  readonly free: Array<number>
  /** The call that takes each track until then. */
  readonly takenBy: Array<number | undefined>
}

interface Place {
  readonly row: LaneRow
  readonly track: number
}

/** When the bar of a call begins; undefined if it has none yet. Before that, a background call waits for its place. */
export const startOf = ({ startedAt, endedAt, background, spans }: CallRow): number | undefined =>
  (background ? spans[0]?.from : startedAt) ?? endedAt

const rowId = ({ lane, agentId, background }: CallRow): string =>
  background ? `background ${agentId}` : `lane ${lane}`

/** The rows of a timeline. A call keeps its place; new calls are added. */
export class TimelineLayout {
  rows: Array<LaneRow> = []
  busy = new BusyTimes()
  private readonly byId = new Map<string, LaneRow>()
  private readonly places = new Map<number, Place>()
  private readonly seen = new Map<number, CallRow>()
  private calls: ReadonlyMap<number, CallRow> = new Map()

  update(calls: ReadonlyMap<number, CallRow>): void {
    this.calls = calls
    for (const call of calls.values()) {
      if (this.seen.get(call.key) !== call) this.take(call)
    }
    if (this.seen.size > calls.size) this.rebuild()
  }

  get(key: number): CallRow | undefined {
    return this.calls.get(key)
  }

  placeOf(key: number): Place | undefined {
    return this.places.get(key)
  }

  /** The rows from top to bottom, with the index of their first track. */
  *tracks(): Generator<readonly [row: LaneRow, track: number, index: number]> {
    let index = 0
    for (const row of this.rows) {
      for (let track = 0; track < row.tracks.length; track++, index++) yield [row, track, index]
    }
  }

  get trackCount(): number {
    return this.rows.reduce((sum, { tracks }) => sum + tracks.length, 0)
  }

  private rebuild(): void {
    this.rows = []
    this.byId.clear()
    this.places.clear()
    this.seen.clear()
    this.busy = new BusyTimes()
    for (const call of this.calls.values()) this.take(call)
  }

  private take(call: CallRow): void {
    this.seen.set(call.key, call)
    this.busy.add(call)
    const start = startOf(call)
    if (start === undefined) return
    const place = this.places.get(call.key)
    if (place !== undefined && place.row.id !== rowId(call)) {
      this.leave(call.key, place)
      this.place(call, start)
    } else if (place === undefined) this.place(call, start)
    else this.freeAt(place, call)
  }

  private place(call: CallRow, start: number): void {
    const row = this.rowOf(call)
    // A call that never ran has no length, and can share a track with one that did.
    const isMoment = start === call.endedAt && call.spans.length === 0
    let track = isMoment && row.tracks.length > 0 ? 0 : row.free.findIndex((free) => free <= start)
    if (track < 0) {
      track = row.tracks.length
      row.tracks.push([])
      row.free.push(0)
    }
    const keys = row.tracks[track]!
    let at = keys.length
    while (at > 0 && (startOf(this.calls.get(keys[at - 1]!) ?? call) ?? 0) > start) at--
    keys.splice(at, 0, call.key)
    const place = { row, track }
    this.places.set(call.key, place)
    if (isMoment) return
    row.takenBy[track] = call.key
    this.freeAt(place, call)
  }

  private leave(key: number, { row, track }: Place): void {
    const keys = row.tracks[track]!
    keys.splice(keys.indexOf(key), 1)
    const last = this.calls.get(keys.at(-1) ?? -1)
    row.takenBy[track] = last?.key
    row.free[track] = last === undefined ? 0 : (last.endedAt ?? Number.POSITIVE_INFINITY)
  }

  private freeAt({ row, track }: Place, { key, endedAt = Number.POSITIVE_INFINITY }: CallRow): void {
    if (row.takenBy[track] === key) row.free[track] = endedAt
  }

  private rowOf(call: CallRow): LaneRow {
    const id = rowId(call)
    const known = this.byId.get(id)
    if (known !== undefined) return known
    const { background: isBackground, agentId, lane } = call
    const row: LaneRow = {
      id,
      label: isBackground ? agentId : lane,
      isBackground,
      tracks: [],
      free: [],
      takenBy: [],
    }
    this.byId.set(id, row)
    // An agent's background is the row below its lane.
    const beside = this.rows.findIndex((other) => other.label === row.label)
    const at = isBackground ? beside + 1 : beside
    this.rows.splice(beside < 0 ? this.rows.length : at, 0, row)
    return row
  }
}
