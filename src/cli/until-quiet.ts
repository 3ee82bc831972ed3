/** Waits until a person has read what is asked. */
import { setTimeout as delay, setImmediate } from "node:timers/promises"
import { reactionMillis } from "../hosts/terminal/reaction-time.ts"
import { statusOfSignal } from "../io/exit-status.ts"

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

/** Ends the process as Ctrl-C does. */
export const interrupt = (): never => {
  process.stderr.write("\n")
  process.exit(statusOfSignal("SIGINT"))
}

/** Resolves with the input that was typed before a person could have read the question, once there is no more of it. */
export const typedBefore = async ({ stdin }: NodeJS.Process): Promise<Buffer> => {
  const typed: Array<Buffer> = []
  let cameAt = Number.NEGATIVE_INFINITY
  const keep = (chunk: Buffer) => {
    if (chunk.includes("\u0003")) interrupt()
    typed.push(chunk)
    cameAt = performance.now()
  }
  // In line mode, a terminal withholds an unfinished line.
  stdin.setRawMode(true)
  stdin.on("data", keep)
  await untilQuiet(() => cameAt)
  stdin.off("data", keep)
  return Buffer.concat(typed)
}
