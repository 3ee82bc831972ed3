/** Removes from a folder what writes left there that were killed. */
import { lstat, readdir, rm } from "node:fs/promises"
import type { RealFolder } from "./real-folder.ts"

/** Names of files that are being written, and of locks, with the rights to break those. */
const leftovers = /^\.stepline-(?:[0-9a-f-]{36}\.tmp|[0-9a-f]{32}\.lock(?:\.[\w-]+)?)$/
/** Nothing is written, or locked, for so long. */
const maxAge = 60 * 60 * 1000

/** When each folder may be looked through again: that takes a fiftieth of the time at most, however many files there are. */
const due = new Map<string, number>()
const maxKnown = 1000

/** It may be another user's, and somebody else may sweep at the same time. */
const removeOld = async (path: string, old: number): Promise<void> => {
  const info = await lstat(path).catch(() => undefined)
  if (info?.isFile() === true && info.mtimeMs < old) await rm(path, { force: true }).catch(() => {})
}

/** Never rejects: a folder that cannot be read keeps what it has. */
export const sweep = async (folder: RealFolder): Promise<void> => {
  const started = performance.now()
  if (started < (due.get(folder.path) ?? 0)) return
  if (due.size >= maxKnown) due.clear()
  due.set(folder.path, Number.POSITIVE_INFINITY)
  try {
    const old = Date.now() - maxAge
    for (const name of await readdir(folder.at("."))) {
      if (!leftovers.test(name)) continue
      await removeOld(folder.at(name), old)
    }
  } catch {
    // What is left costs a place, and no more.
  } finally {
    const now = performance.now()
    due.set(folder.path, now + 50 * (now - started))
  }
}
