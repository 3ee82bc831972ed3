/** Tells whether an Effect is of stepline's own copy of effect: two copies may be installed, and do not understand each other. */
import * as Effect from "effect/Effect"

/** Every Effect of one copy holds the same object here. */
const typeId = "~effect/Effect"

const markOf = (effect: Effect.Effect<unknown, unknown, unknown>): unknown =>
  (effect as unknown as Record<string, unknown>)[typeId]

const ownMark = markOf(Effect.void)

/** Whether an Effect is of the copy that runs the calls. */
export const isOfOwnCopy = (effect: Effect.Effect<unknown, unknown, unknown>): boolean =>
  markOf(effect) === ownMark

/** What to do where it is not, as the end of a sentence. */
export const twoCopies =
  "Two copies of effect are installed: have one, with `npm dedupe` or the version that stepline names as its peer"
