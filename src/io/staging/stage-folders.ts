/**
 * Where change sets are kept: a private folder each, of this user's. One whose changes are being made holds a journal:
 * the next process that stages something finishes what a dead one began, and removes what nobody came back for.
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

/** In the order in which they are tried: not every file system can be the upper layer of an overlay. */
const roots = (): Array<string> => [
  join(stateFolder(), "staged"),
  join(tmpdir(), `stepline-staged-${uid}`),
  `/dev/shm/stepline-staged-${uid}`,
]

/** Those that can hold what lies over a folder: a layer may not be inside of the one below it. */
export const rootsFor = async (folder: string): Promise<Array<string>> => {
  const found: Array<string> = []
  for (const path of roots()) {
    const root = await privateFolder(path)
    if (root !== undefined && !isWithin(folder, root)) found.push(root)
  }
  return found
}

/** The first that there can be, for a stage that lies over nothing. */
export const privateRoot = async (): Promise<string> => {
  for (const path of roots()) {
    const root = await privateFolder(path)
    if (root !== undefined) return root
  }
  throw new StagingError(`Nothing can be staged: ${roots().join(", ")} cannot be written.`)
}

/** What is to lie over a folder looks like it. */
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

/** Folders of the command that may not be entered are opened first. */
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

/** Rejects with a StagingError for what names no change set of this user's. */
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

/** What waits to be applied. Rejects with a StagingError where there is nothing. */
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
 * Makes the changes while no other process does.
 *
 * @param check What must hold before the first one is made.
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
    // From here on it is finished, whatever happens to this process.
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

/**
 * Finishes what processes that died were applying. Gives the paths that somebody has changed since, which were left as
 * they are.
 */
export const recoverStages = async (): Promise<Array<string>> => {
  const left: Array<string> = []
  for (const root of await Promise.all(roots().map(existingFolder))) {
    const names = root === undefined ? [] : await readdir(root)
    for (const name of names.filter((entry) => !entry.includes(".lock"))) {
      const stage = join(root!, name)
      if (await hasJournal(stage)) {
        // Who applies it at this moment holds the lock.
        await withFileLock(`${stage}.lock`, async () => left.push(...(await finish(stage))), {
          timeout: 1000,
        }).catch(() => {})
      } else if (await isOld(stage)) await removeStage(stage)
    }
  }
  return left
}
