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
