/**
 * A lock between processes: a file that exists while the lock is held, and names its holder. The lock of a dead holder is
 * detected and broken, that of a living one never. Breaking it needs a lock of its own, so that only one process does it.
 */
import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { type FileHandle, open, rm, stat } from "node:fs/promises"
import { hostname } from "node:os"
import { setTimeout as delay } from "node:timers/promises"
import { readRegular } from "../text/regular-file.ts"
import { isDead, type ProcessIdentity, thisProcess } from "./process-identity.ts"

export interface FileLockOptions {
  /** How long to wait for the lock, in milliseconds. Default 30,000. */
  readonly timeout?: number
  /**
   * The age in milliseconds after which a lock counts as abandoned if its holder cannot be checked: on another machine, or
   * not named. Default 10,000.
   */
  readonly staleAfter?: number
  readonly signal?: AbortSignal
  /** The lock file's name in messages. Default: its path. */
  readonly shownPath?: string
}

interface Holder extends ProcessIdentity {
  /** The scope in which the process id is valid. */
  readonly host: string
  readonly token: string
}

/**
 * Includes the namespace of process ids, because containers can share a folder and a host name but not process ids; and the
 * boot id, because a reboot reuses process ids.
 */
const thisHost = (): string => {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")} ${boot}`
  } catch {
    return hostname()
  }
}

/** Returns undefined for a lock that is just being written, or was only partly written. */
const parseHolder = (text: string): Holder | undefined => {
  try {
    const { pid, began, host, token } = JSON.parse(text) as Record<string, unknown>
    const isHolder = typeof pid === "number" && typeof host === "string" && /^[\w-]+$/.test(String(token))
    if (!isHolder) return undefined
    return { pid, host, token: String(token), ...(typeof began === "string" && { began }) }
  } catch {
    return undefined
  }
}

const codeOf = (cause: unknown): unknown => (cause as NodeJS.ErrnoException).code

interface LockState {
  readonly holder: Holder | undefined
  readonly isStale: boolean
}

/** Another user's lock can be unreadable: then its holder is unknown. */
const contentOf = async (path: string): Promise<string> => {
  try {
    return (await readRegular(path)).toString()
  } catch (cause) {
    if (codeOf(cause) === "EACCES") return ""
    throw cause
  }
}

const notFiles: Readonly<Record<string, string>> = { EISDIR: "a folder", EFTYPE: "no regular file" }

/** Resolves with undefined if the lock is free. */
const inspect = async (path: string, staleAfter: number): Promise<LockState | undefined> => {
  try {
    const { mtimeMs } = await stat(path)
    const holder = parseHolder(await contentOf(path))
    const isOurs = holder?.host === thisHost()
    return { holder, isStale: isOurs ? isDead(holder) : Date.now() - mtimeMs > staleAfter }
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined
    const what = notFiles[String(codeOf(cause))]
    if (what === undefined) throw cause
    throw new Error(`${path} is ${what}, where a file is needed to lock. Remove it.`, { cause })
  }
}

/** Returns false if the lock is held. */
const tryLock = async (path: string, holder: Holder): Promise<boolean> => {
  let file: FileHandle
  try {
    file = await open(path, "wx")
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false
    throw cause
  }
  try {
    await file.writeFile(JSON.stringify(holder))
    return true
  } catch (cause) {
    await rm(path, { force: true })
    throw cause
  } finally {
    await file.close()
  }
}

/** Whether `holder` still holds the lock: another process may have broken and taken it while the holder was suspended. */
const isHeld = async (path: string, { token }: Holder): Promise<boolean> =>
  parseHolder(await contentOf(path).catch(() => ""))?.token === token

/**
 * Removes a stale lock. The right to do so is a second lock, named after the dead holder: only the process that has it, and
 * still finds the same holder, removes the stale lock.
 */
const breakLock = async (path: string, stale: LockState, staleAfter: number, own: Holder): Promise<void> => {
  const right = `${path}.${stale.holder?.token ?? "unreadable"}`
  if (!(await tryLock(right, own))) {
    const other = await inspect(right, staleAfter)
    if (other?.isStale === true) await breakLock(right, other, staleAfter, own)
    return
  }
  try {
    const now = await inspect(path, staleAfter)
    if (now?.isStale === true && now.holder?.token === stale.holder?.token) await rm(path, { force: true })
  } finally {
    await rm(right, { force: true })
  }
}

const lockedMessage = (path: string, holder: Holder | undefined): string => {
  const by = holder === undefined ? "" : ` by process ${holder.pid}`
  return `${path} is locked${by}. If nothing uses it any more, delete that file.`
}

/** Rejects if the lock has been lost. Call it right before the step that two processes must not both do. */
export type EnsureHeld = () => Promise<void>

/**
 * Runs `work` while no other process with the same lock file does. Rejects if the lock does not become free in time, with
 * the signal's reason on abort, and with the errors of `work`.
 */
export const withFileLock = async <A>(
  path: string,
  work: (ensureHeld: EnsureHeld) => Promise<A>,
  options: FileLockOptions = {},
): Promise<A> => {
  const { timeout = 30_000, staleAfter = 10_000, signal, shownPath = path } = options
  const own: Holder = { ...thisProcess(), host: thisHost(), token: randomUUID() }
  const deadline = performance.now() + timeout
  for (let pause = 2; !(await tryLock(path, own)); pause = Math.min(pause * 1.5, 50)) {
    const state = await inspect(path, staleAfter)
    if (state?.isStale === true) await breakLock(path, state, staleAfter, own)
    if (performance.now() > deadline) throw new Error(lockedMessage(shownPath, state?.holder))
    // No reliable event reports a file's removal. Random jitter keeps waiters from retrying in step.
    if (state !== undefined) await delay(pause * (0.5 + Math.random()), undefined, { signal })
    signal?.throwIfAborted()
  }
  try {
    return await work(async () => {
      if (!(await isHeld(path, own)))
        throw new Error(`The lock ${shownPath} was lost: another process broke it.`)
    })
  } finally {
    if (await isHeld(path, own)) await rm(path, { force: true })
  }
}
