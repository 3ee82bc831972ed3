/** Reverts a change in a text that somebody else has changed since. */
import { strictText } from "./changed-text.ts"

/**
 * Returns `now` without the change from `before` to `after`; undefined if the two changes touch each other, or a content is
 * not text.
 */
export const mergeBack = async (
  now: Uint8Array,
  after: Uint8Array,
  before: Uint8Array,
): Promise<Uint8Array | undefined> => {
  const [current, from, to] = [now, after, before].map(strictText)
  if (current === undefined || from === undefined || to === undefined) return undefined
  const { applyPatch, structuredPatch } = await import("diff")
  const patch = structuredPatch("", "", from, to, undefined, undefined, { context: 2, maxEditLength: 1000 })
  const merged = patch === undefined ? false : applyPatch(current, patch, { autoConvertLineEndings: false })
  return merged === false ? undefined : Buffer.from(merged)
}
