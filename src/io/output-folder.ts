/**
 * The folder in which this process keeps long outputs: in the temp folder, private to its user. It goes when the
 * process ends, however it ends; what is left of others goes after a day.
 */
import { rmSync } from "node:fs"
import { access, constants, lstat, mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { reaper } from "./reaper.ts"

const prefix = "stepline-output-"
/** In milliseconds. */
const hour = 3_600_000
const day = 24 * hour

const folders = new Map<string, Promise<string>>()

const made = new Set<string>()
let isRemovalDue = false

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
  if (!isRemovalDue) process.once("exit", removeAll)
  isRemovalDue = true
  made.add(folder)
  // Where this process is killed.
  reaper.removes(folder)
  return folder
}

/** Removes it before this process ends. What cannot be removed stays until then. */
export const removePrivateFolder = async (folder: string): Promise<void> => {
  const isGone = await rm(folder, { recursive: true, force: true }).then(
    () => true,
    () => false,
  )
  if (!isGone) return
  made.delete(folder)
  reaper.removed(folder)
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

const isUsable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )

/** Absolute; made with the first call. Who has deleted it, or has become another user, gets another one. */
export const outputFolder = async (): Promise<string> => {
  const parent = tmpdir()
  if (Date.now() - lastSweep > hour) {
    lastSweep = Date.now()
    void sweep(parent)
  }
  const known = await folders.get(parent)?.catch(() => undefined)
  if (known !== undefined && (await isUsable(known))) return known
  const making = makePrivateFolder(prefix)
  folders.set(parent, making)
  return making
}
