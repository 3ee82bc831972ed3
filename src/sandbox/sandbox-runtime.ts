/**
 * The one sandbox runtime of this process, shared by all sandboxed machines: it has one proxy and one state. It starts with
 * the first machine and ends with the last. It allows nothing by itself: every command has its own bounds.
 */

import { isMissingModule } from "../io/missing-module.ts"
import { addMark, newMark, removeMark } from "../io/run-marker.ts"
import { messageOf } from "../text/message-of.ts"
import { probeSandbox } from "./probe.ts"
import { SandboxError } from "./sandbox-error.ts"

export type SandboxManager = typeof import("@anthropic-ai/sandbox-runtime").SandboxManager

let users = 0
let running: Promise<SandboxManager> | undefined
/** The end of the previous run. */
let ended = Promise.resolve()

const load = async (): Promise<SandboxManager> => {
  try {
    return (await import("@anthropic-ai/sandbox-runtime")).SandboxManager
  } catch (cause) {
    if (!isMissingModule(cause)) throw cause
    throw new SandboxError(
      "There is no sandbox: @anthropic-ai/sandbox-runtime is not installed. Install it with npm install @anthropic-ai/sandbox-runtime.",
      { cause },
    )
  }
}

const signals = ["SIGINT", "SIGTERM"] as const

/** Removes the signal listeners that a library adds, because they would keep a signal from ending the host. */
const withoutSignalListeners = async (work: () => Promise<void>): Promise<void> => {
  const before = signals.map((signal) => new Set(process.listeners(signal)))
  await work()
  signals.forEach((signal, index) => {
    for (const listener of process.listeners(signal)) {
      if (!before[index]!.has(listener)) process.off(signal, listener)
    }
  })
}

/** Marks the processes that the library starts meanwhile, so that they end with this process, however it ends. */
const marked = async (work: () => Promise<void>): Promise<void> => {
  const mark = newMark()
  addMark(process.env, mark)
  try {
    await work()
  } finally {
    removeMark(process.env, mark)
  }
}

const start = async (): Promise<SandboxManager> => {
  await ended
  await probeSandbox()
  const manager = await load()
  const nothing = {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
  }
  try {
    await withoutSignalListeners(() => marked(() => manager.initialize(nothing, undefined, true)))
  } catch (cause) {
    throw new SandboxError(`There is no sandbox: ${messageOf(cause)}`, {
      cause,
    })
  }
  return manager
}

export interface RuntimeLease {
  readonly manager: SandboxManager
  /** Ends the runtime if nobody else uses it. */
  release(): Promise<void>
}

/** Rejects with a SandboxError if no sandbox is possible. */
export const leaseRuntime = async (): Promise<RuntimeLease> => {
  users++
  running ??= start()
  const own = running
  const leave = async (): Promise<void> => {
    users--
    if (users > 0 || running !== own) return
    running = undefined
    ended = own.then(
      (manager) => manager.reset(),
      () => {},
    )
    await ended
  }
  try {
    const manager = await own
    let released: Promise<void> | undefined
    return { manager, release: () => (released ??= leave()) }
  } catch (error) {
    await leave()
    throw error
  }
}
