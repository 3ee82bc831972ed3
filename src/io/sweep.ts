/** Removes leftovers of killed writes from a folder. */
import { lstat, readdir, rm } from "node:fs/promises"
import type { RealFolder } from "./real-folder.ts"

/** Names of temporary files, of locks, and of locks for breaking locks. */
const leftovers = /^\.stepline-(?:[0-9a-f-]{36}\.tmp|[0-9a-f]{32}\.lock(?:\.[\w-]+)?)$/
/** No write or lock lasts this long. */
const maxAge = 60 * 60 * 1000

/** When each folder can be swept again: sweeps take at most a fiftieth of the time, however many files there are. */
const due = new Map<string, number>()
const maxKnown = 1000

/** Ignores failures: the file can belong to another user, and another process can sweep at the same time. */
const removeOld = async (path: string, old: number): Promise<void> => {
  const info = await lstat(path).catch(() => undefined)
  if (info?.isFile() === true && info.mtimeMs < old) await rm(path, { force: true }).catch(() => {})
}

/** Never rejects: a folder that cannot be read is not swept. */
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
    // Leftovers only take up space.
  } finally {
    const now = performance.now()
    due.set(folder.path, now + 50 * (now - started))
  }
}
