/** Finds calls by position: at a time in a track, and next to another call. */
import { firstWhere } from "../../../../text/first-where.ts"
import type { CallRow } from "../../state/page-state.ts"
import { startOf, type TimelineLayout } from "./layout.ts"

/** The index of the first call of a track that can be visible. */
export const firstSeen = (
  layout: TimelineLayout,
  keys: ReadonlyArray<number>,
  from: number,
  now: number,
): number =>
  firstWhere(keys, (key) => {
    const call = layout.get(key)
    return call !== undefined && (call.endedAt ?? now) >= from
  })

/** The call whose bar lies between two close times, in the track with this index. */
export const callAt = (
  layout: TimelineLayout,
  index: number,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
): CallRow | undefined => {
  for (const [row, track, at] of layout.tracks()) {
    if (at !== index) continue
    const keys = row.tracks[track]!
    const call = layout.get(keys[firstSeen(layout, keys, from, now)] ?? -1)
    return call !== undefined && startOf(call)! <= to ? call : undefined
  }
  return undefined
}

/** The call before or after, in the same track; the first of all if there is no current call. */
export const keyBeside = (
  layout: TimelineLayout,
  key: number | undefined,
  by: number,
): number | undefined => {
  const place = key === undefined ? undefined : layout.placeOf(key)
  if (place === undefined) return layout.rows[0]?.tracks[0]?.[0]
  const keys = place.row.tracks[place.track]!
  return keys[keys.indexOf(key!) + by] ?? key
}

/** The call that runs at the same time, one track up or down; the first of all if there is no current call. */
export const keyAcross = (
  layout: TimelineLayout,
  key: number | undefined,
  by: number,
  now: number,
): number | undefined => {
  const call = key === undefined ? undefined : layout.get(key)
  const place = call && layout.placeOf(call.key)
  if (place === undefined) return keyBeside(layout, undefined, by)
  const tracks = [...layout.tracks()].map(([row, track]) => row.tracks[track]!)
  const next = tracks[tracks.indexOf(place.row.tracks[place.track]!) + by]
  return next?.[Math.min(firstSeen(layout, next, startOf(call!)!, now), next.length - 1)]
}
