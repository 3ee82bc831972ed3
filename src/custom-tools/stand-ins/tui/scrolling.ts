/** A list of which some rows are shown. */
import { matchesKey } from "./keys.ts"

/** The rows to show, so that the selected one is among them. */
export const shownRows = (
  selected: number,
  count: number,
  max: number,
): { readonly start: number; readonly end: number } => {
  const start = Math.max(0, Math.min(selected - Math.floor(max / 2), count - max))
  return { start, end: Math.min(count, start + max) }
}

/** The selection after a key; past an end it goes on at the other. Undefined for keys that do not move it. */
export const movedBy = (data: string, selected: number, count: number): number | undefined => {
  if (count === 0) return undefined
  if (matchesKey(data, "up")) return (selected + count - 1) % count
  if (matchesKey(data, "down")) return (selected + 1) % count
  return undefined
}

export const isCancel = (data: string): boolean => matchesKey(data, "escape") || matchesKey(data, "ctrl+c")
