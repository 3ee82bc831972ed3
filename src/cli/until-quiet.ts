import { setTimeout as delay, setImmediate } from "node:timers/promises"
import { reactionMillis } from "../hosts/terminal/reaction-time.ts"

/**
 * Resolves once a person has had time to read the printed text, and has finished typing what was begun before.
 *
 * @param cameAt The time of the last input, by `performance.now()`.
 * @param hasEnded Whether the input has ended.
 */
export const untilQuiet = async (cameAt: () => number, hasEnded = () => false): Promise<void> => {
  const asked = performance.now()
  for (let left = reactionMillis; left > 0 && !hasEnded(); ) {
    await delay(left)
    // Input that arrived while this process was busy is read in this turn.
    await setImmediate()
    left = Math.max(asked, cameAt()) + reactionMillis - performance.now()
  }
}
