/**
 * Prevents foreign code from ending the process, by a call or by an error that nobody handles, and from changing its directory. All
 * other errors take Node's normal path. Node does not allow guarding `process.exitCode`.
 */
import { replaceMethod } from "./standard-streams.ts"

/** @param ownerOf The owner of the running code; undefined for the host's own, for which nothing changes. */
export const guardProcess = (ownerOf: () => string | undefined): void => {
  const refuse = (name: string, harm: "end" | "move", isHarmful: (args: Array<unknown>) => boolean): void =>
    replaceMethod(process, name, (call, args) => {
      const owner = ownerOf()
      if (owner === undefined || !isHarmful(args)) return call(...args)
      throw new Error(`${owner} called process.${name}, which would ${harm} the program that runs it`)
    })
  for (const name of ["exit", "reallyExit", "abort"]) refuse(name, "end", () => true)
  refuse("kill", "end", endsThisProcess)
  refuse("chdir", "move", () => true)
}

/** Whether a signal would end this process, by itself or with its group. Signal 0 only checks that it exists. */
const endsThisProcess = ([pid, signal]: Array<unknown>): boolean =>
  [process.pid, -process.pid, 0].includes(Number(pid)) && signal !== 0

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
