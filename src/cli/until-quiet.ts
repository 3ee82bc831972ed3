import { setTimeout as delay, setImmediate } from "node:timers/promises"
import { reactionMillis } from "../hosts/terminal/reaction-time.ts"

/**
 * Resolves when somebody may have read what was just printed, and types nothing that was begun before that.
 *
 * @param cameAt When something came last, by `performance.now()`.
 * @param hasEnded Whether nothing more can come.
 */
export const untilQuiet = async (cameAt: () => number, hasEnded = () => false): Promise<void> => {
  const asked = performance.now()
  for (let left = reactionMillis; left > 0 && !hasEnded(); ) {
    await delay(left)
    // What waited while this process was busy is read in this turn.
    await setImmediate()
    left = Math.max(asked, cameAt()) + reactionMillis - performance.now()
  }
}
