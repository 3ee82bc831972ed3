/**
 * The folder in which this process keeps long outputs: in the temp folder, private to its user. It goes when the
 * process ends, however it ends; what is left of others goes after a day.
 */
import { rmSync } from "node:fs"
import { lstat, mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { reaper } from "./reaper.ts"

const prefix = "stepline-output-"
/** In milliseconds. */
const hour = 3_600_000
const day = 24 * hour

const folders = new Map<string, Promise<string>>()

const made = new Set<string>()

const removeAll = (): void => {
  for (const folder of made) {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Such as after a change of user: it goes after a day.
    }
  }
}

/** A folder of the temp folder that only this user can enter. It goes with this process, however that ends. */
export const makePrivateFolder = async (namePrefix: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), namePrefix))
  if (made.size === 0) process.once("exit", removeAll)
  made.add(folder)
  // Where this process is killed.
  reaper.removes(folder)
  return folder
}

const newestChange = async (folder: string): Promise<number> => {
  const names = await readdir(folder)
  const changes = await Promise.all(
    [folder, ...names.map((name) => join(folder, name))].map((path) => stat(path)),
  )
  return Math.max(...changes.map(({ mtimeMs }) => mtimeMs))
}

const isLeftOver = async (folder: string): Promise<boolean> => {
  const info = await lstat(folder)
  if (!info.isDirectory() || info.uid !== process.getuid?.()) return false
  return Date.now() - (await newestChange(folder)) > day
}

/** Removes the folders in which nothing has changed for a day. Nobody waits for it, and what cannot be removed stays. */
const sweep = async (parent: string): Promise<void> => {
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const folder = join(parent, name)
    if (await isLeftOver(folder).catch(() => false))
      await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

let lastSweep = Number.NEGATIVE_INFINITY

/** Absolute; made with the first call. Whoever has deleted it gets another one. */
export const outputFolder = async (): Promise<string> => {
  const parent = tmpdir()
  if (Date.now() - lastSweep > hour) {
    lastSweep = Date.now()
    void sweep(parent)
  }
  const known = await folders.get(parent)?.catch(() => undefined)
  if (known !== undefined && (await stat(known).catch(() => undefined)) !== undefined) return known
  const making = makePrivateFolder(prefix)
  folders.set(parent, making)
  return making
}
