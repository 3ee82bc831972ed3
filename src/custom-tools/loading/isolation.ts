/**
 * Guards the process against the foreign code that runs in it. Whatever such code starts is told from the host's by its
 * async context: it cannot end the process, what it fails to catch is a warning, its standard input is at its end, and
 * what it prints goes to stderr. The host sees no difference. What foreign code hangs on objects of the host's, such as `process.on`, runs as the host's.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { syncBuiltinESMExports } from "node:module"
import type { Readable } from "node:stream"
import { messageOf } from "../../text/message-of.ts"
import { loggerOf } from "../file-logger.ts"
import type { Logger } from "../logger.ts"
import { guardProcess } from "./process-guard.ts"
import { guardStdin } from "./stdin-guard.ts"
import { guardStdout } from "./stdout-guard.ts"
import { guardMicrotasks, takeStrays } from "./stray-errors.ts"

interface Foreign {
  /** The resolved file or the tool's name. */
  readonly owner: string
  readonly logger: Logger | undefined
  stdin?: Readable
}

const foreign = new AsyncLocalStorage<Foreign | undefined>()

/** Whose code runs; undefined for the host's own. */
export const foreignOwner = (): string | undefined => foreign.getStore()?.owner

/**
 * Runs foreign code: the guards hold within `work` and all that it starts. `owner` names it in errors; `logger` is warned
 * of what it leaves to nobody, a rejected promise or a throw from a timer. Default: that of the foreign code that this is
 * called from, else the log file.
 */
export const runIsolated = <T>(owner: string, work: () => T, logger = foreign.getStore()?.logger): T => {
  install()
  return foreign.run({ owner, logger }, work)
}

/** Runs the host's code that foreign code called, free of the guards. */
export const runOutside = <T>(work: () => T): T => foreign.run(undefined, work)

/** The signal as foreign code gets it: its listeners run by `isolated`, not as a part of the code that aborts. */
export const isolatedSignal = (signal: AbortSignal, isolated: (work: () => void) => void): AbortSignal => {
  if (signal.aborted) return AbortSignal.abort(signal.reason)
  const own = new AbortController()
  signal.addEventListener("abort", () => isolated(() => own.abort(signal.reason)), { once: true })
  return own.signal
}

let isInstalled = false

const install = (): void => {
  if (isInstalled) return
  isInstalled = true
  guardProcess(foreignOwner)
  guardStdin(() => foreign.getStore())
  const isForeign = () => foreign.getStore() !== undefined
  guardStdout(isForeign)
  takeStrays(isForeign, warn)
  guardMicrotasks(isForeign, warn)
  // ES modules that Node loads import these functions by name.
  syncBuiltinESMExports()
}

/** Nobody would catch what is thrown here. */
const warn = (error: unknown): void => {
  const { owner, logger } = foreign.getStore()!
  const text = `${owner} left a failure to nobody: ${messageOf(error)}`
  try {
    runOutside(() => (logger ?? loggerOf({})).warn(text))
  } catch {}
}
