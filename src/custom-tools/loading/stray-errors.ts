/**
 * Takes the errors that foreign code leaves to nobody, before they end the process or reach the host's listeners. All
 * others go the way that Node has for them: its mode, and who listens, decide as if nobody had looked.
 */

import { replaceMethod } from "./replace-method.ts"

/** Told of first, and only to be looked at. */
const monitor = "uncaughtExceptionMonitor"
const strayEvents: ReadonlySet<unknown> = new Set([monitor, "uncaughtException", "unhandledRejection"])

type Emit = (this: unknown, event: unknown, ...args: Array<unknown>) => boolean

/**
 * For good: a listener would count as the host's, and hide what nobody listens to.
 *
 * @param isForeign Asked in the async context that the error comes from.
 * @param tell Gets each error once.
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

/** Node takes what `queueMicrotask` runs for the host's once it has thrown. */
export const guardMicrotasks = (isForeign: () => boolean, tell: (error: unknown) => void): void =>
  replaceMethod(
    globalThis,
    "queueMicrotask",
    (original) =>
      function (callback) {
        if (!isForeign() || typeof callback !== "function") return original.call(this, callback)
        return original.call(this, () => {
          try {
            return callback()
          } catch (error) {
            tell(error)
          }
        })
      },
  )
