/**
 * The folder in which this process keeps long outputs: in the temp folder, private to its user. It is removed when the
 * process ends, however it ends; leftovers of other processes are removed after a day.
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
      // For example after a change of user: the folder is removed after a day.
    }
  }
}

/** Makes a folder in the temp folder that only this user can enter. It is removed when this process ends, however it ends. */
export const makePrivateFolder = async (namePrefix: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), namePrefix))
  if (!isRemovalDue) process.once("exit", removeAll)
  isRemovalDue = true
  made.add(folder)
  // In case this process is killed.
  reaper.removes(folder)
  return folder
}

/** Removes such a folder early. If that fails, it remains until this process ends. */
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

/** Removes the folders in which nothing has changed for a day. Not awaited; failures are ignored. */
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

/** The folder's absolute path; made on the first call, and again if it was deleted or the user of this process has changed. */
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
