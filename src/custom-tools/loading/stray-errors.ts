/**
 * Intercepts unhandled errors of foreign code before they end the process or reach the host's listeners. All other errors
 * take Node's normal path, depending on its mode and the listeners.
 */

import { replaceMethod } from "./replace-method.ts"

/** Emitted first, for observation only. */
const monitor = "uncaughtExceptionMonitor"
const strayEvents: ReadonlySet<unknown> = new Set([monitor, "uncaughtException", "unhandledRejection"])

type Emit = (this: unknown, event: unknown, ...args: Array<unknown>) => boolean

/**
 * Permanently patches `process.emit`: a listener would count as the host's, and hide errors without listeners.
 *
 * @param isForeign Called in the async context of the error.
 * @param tell Called once for each error.
 */
export const takeStrays = (isForeign: () => boolean, tell: (error: unknown) => void): void => {
  const original = process.emit as Emit
  const emit: Emit = function (event, ...args) {
    if (!strayEvents.has(event) || !isForeign()) return original.call(this, event, ...args)
    if (event !== monitor) tell(args[0])
    return true
  }
  process.emit = emit as typeof process.emit
}

/** Guards `queueMicrotask`, because Node reports errors of its callbacks in the host's async context. */
export const guardMicrotasks = (isForeign: () => boolean, tell: (error: unknown) => void): void =>
  replaceMethod(globalThis, "queueMicrotask", (call, [callback, ...rest]) => {
    if (!isForeign() || typeof callback !== "function") return call(callback, ...rest)
    return call(() => {
      try {
        return callback()
      } catch (error) {
        tell(error)
      }
    })
  })
