/**
 * Where change sets are stored: a private folder of this user for each. While its changes are being made, it contains a
 * journal: the next process that stages something finishes what a dead process began, and removes abandoned change sets.
 */
import { randomUUID } from "node:crypto"
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { withFileLock } from "../file-lock.ts"
import { isWithin } from "../is-within.ts"
import { existingFolder, privateFolder, uid } from "../private-folder.ts"
import { stateFolder } from "../state-folder.ts"
import { applyChanges, sync } from "./apply-changes.ts"
import type { Change } from "./change.ts"
import { StagingError } from "./staging-error.ts"

export interface Manifest {
  readonly folder: string
  readonly changes: ReadonlyArray<Change>
}

const pending = "changes.json"
const journal = "applying.json"

/** A week, in milliseconds. */
const kept = 7 * 24 * 60 * 60 * 1000

/** In order of preference: not every file system can be the upper layer of an overlay. */
const roots = (): Array<string> => [
  join(stateFolder(), "staged"),
  join(tmpdir(), `stepline-staged-${uid}`),
  `/dev/shm/stepline-staged-${uid}`,
]

/** The roots that can hold an upper layer for a folder: it must not be inside the lower one. */
export const rootsFor = async (folder: string): Promise<Array<string>> => {
  const found: Array<string> = []
  for (const path of roots()) {
    const root = await privateFolder(path)
    if (root !== undefined && !isWithin(folder, root)) found.push(root)
  }
  return found
}

/** The first usable root, for a stage without an overlay. */
export const privateRoot = async (): Promise<string> => {
  for (const path of roots()) {
    const root = await privateFolder(path)
    if (root !== undefined) return root
  }
  throw new StagingError(`Nothing can be staged: ${roots().join(", ")} cannot be written.`)
}

/** Makes a stage whose upper layer has the attributes of the folder. */
export const makeStage = async (root: string, folder: string): Promise<string> => {
  const stage = join(root, randomUUID())
  await mkdir(stage, { mode: 0o700 })
  const [{ mode, uid: user, gid: group }] = await Promise.all([
    lstat(folder),
    ...["upper", "work", "lower", "tmp"].map((name) => mkdir(join(stage, name), { mode: 0o700 })),
  ])
  const upper = join(stage, "upper")
  if (uid === 0) await chown(upper, user, group)
  await chmod(upper, mode & 0o7777)
  return stage
}

/** Makes the command's folders accessible, so that they can be removed. */
const openAll = async (folder: string): Promise<void> => {
  await chmod(folder, 0o700).catch(() => {})
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await openAll(join(folder, entry.name))
}

export const removeStage = async (stage: string): Promise<void> => {
  try {
    await rm(stage, { recursive: true, force: true })
  } catch {
    await openAll(stage)
    await rm(stage, { recursive: true, force: true })
  }
}

const gone = (): StagingError =>
  new StagingError("Nothing was applied: what was staged is no longer there. Run the command again.")

/** Rejects with a StagingError if the path is not a change set of this user. */
export const expectStage = async (stage: string): Promise<void> => {
  const own = await Promise.all(roots().map(existingFolder))
  const info = own.includes(dirname(stage)) ? await lstat(stage).catch(() => undefined) : undefined
  if (info?.isDirectory() === true) return
  throw gone()
}

export const writeManifest = async (stage: string, manifest: Manifest): Promise<void> => {
  await writeFile(join(stage, `${pending}.tmp`), JSON.stringify(manifest), { mode: 0o600 })
  await rename(join(stage, `${pending}.tmp`), join(stage, pending))
}

const readManifest = async (stage: string, name: string): Promise<Manifest | undefined> => {
  try {
    return JSON.parse(await readFile(join(stage, name), "utf8")) as Manifest
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  }
}

/** The changes that wait to be applied. Rejects with a StagingError if there are none. */
export const stagedIn = async (stage: string): Promise<Manifest> => {
  await expectStage(stage)
  const manifest = await readManifest(stage, pending)
  if (manifest === undefined) throw gone()
  return manifest
}

const applyingOf = (stage: string, manifest: Manifest) => ({
  ...manifest,
  upper: join(stage, "upper"),
  tag: basename(stage),
})

/**
 * Makes the changes, under a lock.
 *
 * @param check Rejects if the changes must not be made.
 */
export const applyStage = async (
  stage: string,
  check: (applying: ReturnType<typeof applyingOf>) => Promise<void>,
): Promise<Manifest> => {
  await expectStage(stage)
  return withFileLock(`${stage}.lock`, async () => {
    const manifest = await stagedIn(stage)
    const applying = applyingOf(stage, manifest)
    await check(applying)
    await sync(join(stage, pending))
    // From here on the changes will be finished, whatever happens to this process.
    await rename(join(stage, pending), join(stage, journal))
    await applyChanges(applying)
    await removeStage(stage)
    return manifest
  })
}

const finish = async (stage: string): Promise<Array<string>> => {
  const manifest = await readManifest(stage, journal)
  if (manifest === undefined) return []
  const left = await applyChanges(applyingOf(stage, manifest), true)
  await removeStage(stage)
  return left.map((path) => join(manifest.folder, path))
}

const hasJournal = (stage: string): Promise<boolean> =>
  stat(join(stage, journal)).then(
    () => true,
    () => false,
  )

const isOld = async (stage: string): Promise<boolean> => {
  const info = await stat(stage).catch(() => undefined)
  return info !== undefined && Date.now() - info.mtimeMs > kept
}

/** Finishes the changes of dead processes. Resolves with the paths that somebody has changed since, which are skipped. */
export const recoverStages = async (): Promise<Array<string>> => {
  const left: Array<string> = []
  for (const root of await Promise.all(roots().map(existingFolder))) {
    const names = root === undefined ? [] : await readdir(root)
    for (const name of names.filter((entry) => !entry.includes(".lock"))) {
      const stage = join(root!, name)
      if (await hasJournal(stage)) {
        // A process that is applying it holds the lock.
        await withFileLock(`${stage}.lock`, async () => left.push(...(await finish(stage))), {
          timeout: 1000,
        }).catch(() => {})
      } else if (await isOld(stage)) await removeStage(stage)
    }
  }
  return left
}
