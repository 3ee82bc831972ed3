/** Recognizes Effects of stepline's own copy of effect: two installed copies are not compatible with each other. */
import * as Effect from "effect/Effect"

/** Every Effect of one copy has the same object under this key. */
const typeId = "~effect/Effect"

const markOf = (effect: Effect.Effect<unknown, unknown, unknown>): unknown =>
  (effect as unknown as Record<string, unknown>)[typeId]

const ownMark = markOf(Effect.void)

/** Whether an Effect is of the copy that runs the calls. */
export const isOfOwnCopy = (effect: Effect.Effect<unknown, unknown, unknown>): boolean =>
  markOf(effect) === ownMark

/** The advice for another copy, as the end of a sentence. */
export const twoCopies =
  "Two copies of effect are installed: have one, with `npm dedupe` or the version that stepline names as its peer"
