/**
 * Guards the process against foreign code. Such code, and everything that it starts, is recognised by its async context: it
 * cannot end the process, its uncaught errors become warnings, its standard input is at its end, and its output goes to
 * stderr. Nothing changes for the host. Listeners that foreign code adds to the host's objects, such as with `process.on`,
 * run as the host's.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { syncBuiltinESMExports } from "node:module"
import type { Readable } from "node:stream"
import { messageOf } from "../../text/message-of.ts"
import { type CurrentCall, currentCall } from "../current-call.ts"
import { loggerOf } from "../file-logger.ts"
import type { Logger } from "../host.ts"
import { guardMicrotasks, guardProcess, takeStrays } from "./process-guard.ts"
import { guardStdin, guardStdout } from "./standard-streams.ts"

interface Foreign {
  /** The resolved file, or the tool's name. */
  readonly owner: string
  readonly logger: Logger | undefined
  stdin?: Readable
}

const foreign = new AsyncLocalStorage<Foreign | undefined>()

/** The owner of the running code; undefined for the host's own. */
export const foreignOwner = (): string | undefined => foreign.getStore()?.owner

/**
 * Runs foreign code: the guards apply to `work` and everything that it starts. `owner` names it in errors; `logger` receives
 * warnings about unhandled rejections and errors, such as from a timer. Default: the logger of the calling foreign code,
 * else the log file.
 */
export const runIsolated = <T>(owner: string, work: () => T, logger = foreign.getStore()?.logger): T => {
  install()
  return foreign.run({ owner, logger }, work)
}

/** Runs code of the host that foreign code called, without the guards. */
export const runOutside = <T>(work: () => T): T => foreign.run(undefined, work)

/**
 * A call for the foreign code that runs for it, and how that code is run. Listeners of its signal run likewise, not in the context of
 * the code that aborts.
 */
export const isolatedCall = <Call extends CurrentCall | undefined>(
  owner: string,
  given: Call,
  logger?: Logger,
): { readonly call: Call; readonly isolated: <T>(work: () => T) => T } => {
  const isolated = <T>(work: () => T): T => {
    const run = () => runIsolated(owner, work, logger)
    return call === undefined ? run() : currentCall.run(call, run)
  }
  const call: Call = given && { ...given, signal: isolatedSignal(given.signal, isolated) }
  return { call, isolated }
}

const isolatedSignal = (signal: AbortSignal, isolated: (work: () => void) => void): AbortSignal => {
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
  // Native ES modules import these functions by name.
  syncBuiltinESMExports()
}

/** Must not throw, because nobody would catch it. */
const warn = (error: unknown): void => {
  const { owner, logger } = foreign.getStore()!
  const text = `${owner} left a failure to nobody: ${messageOf(error)}`
  try {
    runOutside(() => (logger ?? loggerOf({})).warn(text))
  } catch {}
}

/** Copies the parameters for foreign code, so that it cannot change what hosts showed and rules approved. */
export const copyOf = (params: unknown): unknown => {
  try {
    return structuredClone(params)
  } catch {
    return params
  }
}

/** Handles the rejection of a promise that foreign code returns where none is awaited, so that it does not end the process. */
export const quietly = <T>(answer: T): T => {
  if (answer instanceof Promise) answer.catch(() => undefined)
  return answer
}
