/**
 * Interrupts synchronous JavaScript on this thread that runs too long, which no timer can. Callbacks that it schedules are
 * not watched.
 */
import { createContext, Script } from "node:vm"

/** A script's time-out covers all JavaScript that it calls: this one calls `work`. */
const script = new Script("work()")
const globals: { work?: () => unknown } = {}
/** Created once, since that takes milliseconds. */
let context: ReturnType<typeof createContext> | undefined

/**
 * Runs synchronous work. If it takes longer than `milliseconds` (an integer, at least 1), throws an error that
 * `isWatchdogTimeout` recognises. Calls can be nested.
 */
export const runWatched = <T>(work: () => T, milliseconds: number): T => {
  context ??= createContext(globals)
  const outer = globals.work
  globals.work = work
  try {
    return script.runInContext(context, { timeout: milliseconds }) as T
  } finally {
    globals.work = outer
  }
}

export const isWatchdogTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | null | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

/** The maximum attempts at work that was interrupted while other processes used the cores. */
const maxTries = 10

/** The CPU time of this process, in milliseconds. */
export const cpuTime = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Runs synchronous work that may be repeated. Returns undefined if it takes longer than `milliseconds`: also of CPU time, because on a
 * busy machine wall time does not show how slow the work is.
 */
export const runBounded = <T>(work: () => T, milliseconds: number): { readonly value: T } | undefined => {
  const start = cpuTime()
  for (let tries = 1; ; tries++) {
    try {
      return { value: runWatched(work, milliseconds) }
    } catch (error) {
      if (!isWatchdogTimeout(error)) throw error
      if (tries === maxTries || cpuTime() - start >= milliseconds / 2) return undefined
    }
  }
}
