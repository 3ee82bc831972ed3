/** Breaks off JavaScript of this thread that runs too long, as no timer could. What it leaves to run later is not watched. */
import { createContext, Script } from "node:vm"

/** A script's time-out ends all JavaScript that runs below it: this one calls whatever it is given. */
const script = new Script("work()")
const globals: { work?: () => unknown } = {}
/** Made once: that takes milliseconds. */
let context: ReturnType<typeof createContext> | undefined

/**
 * Runs synchronous work. Where it takes longer than so many milliseconds (whole, at least 1), throws an error that
 * `isWatchdogTimeout` knows. The work may use a watchdog of its own.
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
