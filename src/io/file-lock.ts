/**
 * A lock between processes: a file that exists while the lock is held, and names its holder. A holder that died is
 * noticed and its lock broken, that of a living one never; who may break it is decided by a lock of its own, so that
 * only one process does.
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
   * The age in milliseconds at which a lock counts as left behind where its holder cannot be looked at: on another
   * machine, or not named. Default 10,000.
   */
  readonly staleAfter?: number
  readonly signal?: AbortSignal
  /** What messages call the lock file. Default: its path. */
  readonly shownPath?: string
}

interface Holder extends ProcessIdentity {
  /** Where the process id has a meaning. */
  readonly host: string
  readonly token: string
}

/**
 * With the namespace of process ids, because containers may share a folder and a host name, but not those; and with the
 * boot, after which an id may be another process's.
 */
const thisHost = (): string => {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")} ${boot}`
  } catch {
    return hostname()
  }
}

/** Undefined for a lock that is just being made, or was made by half. */
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

/** Another user's lock may not be ours to read: then nobody is known to hold it. */
const contentOf = async (path: string): Promise<string> => {
  try {
    return (await readRegular(path)).toString()
  } catch (cause) {
    if (codeOf(cause) === "EACCES") return ""
    throw cause
  }
}

const notFiles: Readonly<Record<string, string>> = { EISDIR: "a folder", EFTYPE: "no regular file" }

/** Undefined where the lock is free. */
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

/** False where somebody has it. */
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

/** A lock may have been broken, and taken by another, while its holder was suspended. */
const isHeld = async (path: string, { token }: Holder): Promise<boolean> =>
  parseHolder(await contentOf(path).catch(() => ""))?.token === token

/**
 * Removes a stale lock. The right to do so is a lock named after the very holder that is gone: whoever has that one
 * and still finds the same holder is the only one who can be removing it.
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

/** Rejects where the lock was lost since. To be asked right before what must not be done by two. */
export type EnsureHeld = () => Promise<void>

/**
 * Does the work while no other process that uses the same lock file does. Rejects where the lock does not become free
 * in time, with the signal's reason once that is aborted, and with the failures of the work.
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
    // A file has no event for its removal that can be relied on. The chance keeps waiters from moving in step.
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
