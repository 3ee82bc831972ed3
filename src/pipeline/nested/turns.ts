/** The turns of planned calls: approved ones run one after another, in the order of their handler. */

import type { Call } from "../call/call.ts"
import type { Engine } from "../engine.ts"

/**
 * Lets the call run once its turn has come. A restored call has no turn until its handler, which runs again, makes the same call.
 */
export const takeTurn = (engine: Engine, call: Call): void => {
  call.timer?.stop()
  const placed = () => engine.placed(call)
  call.turn?.then(placed, placed)
}

/** Sets the turn of a call. */
export const giveTurn = (engine: Engine, call: Call, turn: PromiseLike<unknown> | undefined): void => {
  call.turn = turn
  if (call.place === "asked" && call.toolCall.planned === true) takeTurn(engine, call)
}
