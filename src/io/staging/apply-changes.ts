/**
 * Makes the changes of a change set in its folder. All are checked before the first is made. Each is atomic and idempotent:
 * after a crash, all are made once more.
 */
import { constants } from "node:fs"
import {
  access,
  chmod,
  copyFile,
  lchown,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
} from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Change, Outcome } from "./change.ts"
import { fingerprintOf, isUnchanged, kindOf, statOf, targetOf } from "./fingerprint.ts"
import { StagingError } from "./staging-error.ts"

export interface Applying {
  readonly folder: string
  readonly upper: string
  readonly changes: ReadonlyArray<Change>
  /** Part of the names of temporary files, so that those left by a crash are found again. */
  readonly tag: string
}

/** Up to this number of files, each is synced to the disk by itself. */
const maxSynced = 1000

const maxNamed = 10

/** Whether a path already has its outcome. */
const isDone = async ({ folder, upper }: Applying, { path, after }: Change): Promise<boolean> => {
  const info = await statOf(join(folder, path))
  if (after === undefined || info === undefined) return after === undefined && info === undefined
  if (kindOf(info) !== after.kind) return false
  if (after.kind === "link") return (await targetOf(join(folder, path))) === after.target
  if (fingerprintOf(info).mode !== after.mode) return false
  if (after.kind === "folder") return true
  const written = await lstat(join(upper, path), { bigint: true })
  if (written.size !== info.size) return false
  if (after.linkOf !== undefined) {
    const other = await statOf(join(folder, after.linkOf))
    if (other?.ino !== info.ino) return false
  }
  const [now, then] = await Promise.all([readFile(join(folder, path)), readFile(join(upper, path))])
  return now.equals(then)
}

/** Whether the folders above a path are folders, not links that lead elsewhere. */
const hasItsFolder = async (folder: string, path: string, made: ReadonlySet<string>): Promise<boolean> => {
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    if (!made.has(parent)) {
      const info = await statOf(join(folder, parent))
      if (info === undefined || kindOf(info) !== "folder") return false
    }
    if (parent === "." || parent === path) return true
  }
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )

const isAsSeen = async (applying: Applying, change: Change, made: ReadonlySet<string>): Promise<boolean> => {
  const { folder } = applying
  const { path, before, replaces, isStale } = change
  if (isStale === true) return false
  if (path !== "." && !(await hasItsFolder(folder, path, made))) return false
  if (before !== undefined) return isUnchanged(join(folder, path), before)
  return replaces === true || (await statOf(join(folder, path))) === undefined
}

/** A path as shown in messages: in full if the folder is the root. */
const nameIn = ({ folder }: Pick<Applying, "folder">, path: string): string =>
  folder === "/" ? join(folder, path) : path

/** Checks the folders' permissions. A command may have opened a folder and closed it again, which leaves no trace. */
const expectWritable = async ({ folder, changes }: Applying): Promise<void> => {
  const opened = new Set(
    changes.flatMap(({ path, after, before }) => ((after ?? before)?.kind === "folder" ? [path] : [])),
  )
  const parents = new Set(changes.map(({ path }) => dirname(path)).filter((parent) => !opened.has(parent)))
  for (const parent of parents) {
    if (await isWritable(join(folder, parent))) continue
    throw new StagingError(
      `Nothing was applied: the folder ${nameIn({ folder }, parent)} may not be written. Change its mode and apply again.`,
    )
  }
}

/**
 * Rejects with a StagingError that names the paths that have changed since they were seen. Changes nothing.
 *
 * @param since The end of the message: since when, and what to do instead.
 */
export const expectAsSeen = async (
  applying: Applying,
  since = (count: number) =>
    `since the command saw ${count === 1 ? "it" : "them"}. Discard this preview and run the command again`,
): Promise<void> => {
  const { changes } = applying
  const made = new Set(
    changes
      .filter(({ before, after }) => before === undefined && after?.kind === "folder")
      .map(({ path }) => path),
  )
  const differing: Array<string> = []
  for (const change of changes) {
    if (!(await isAsSeen(applying, change, made))) differing.push(nameIn(applying, change.path))
  }
  if (differing.length === 0) return expectWritable(applying)
  const names = differing.slice(0, maxNamed).join(", ")
  const more = differing.length > maxNamed ? ` and ${differing.length - maxNamed} more` : ""
  throw new StagingError(`Nothing was applied: ${names}${more} changed ${since(differing.length)}.`)
}

const isRoot = process.getuid?.() === 0

const own = async (path: string, owner: string): Promise<void> => {
  // Only root can give a file away.
  if (!isRoot) return
  const [uid, gid] = owner.split(":").map(Number)
  await lchown(path, uid!, gid!)
}

/** Syncs a file or a folder to the disk. */
export const sync = async (path: string): Promise<void> => {
  const file = await open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

class Applier {
  private readonly applying: Applying
  private readonly isSynced: boolean

  constructor(applying: Applying) {
    this.applying = applying
    this.isSynced = applying.changes.length <= maxSynced
  }

  async make(change: Change): Promise<void> {
    const { folder } = this.applying
    const path = join(folder, change.path)
    const { after, before } = change
    if (after === undefined) {
      await (before?.kind === "folder" ? this.removeFolder(path) : rm(path, { force: true }))
    } else if (after.kind === "folder") {
      await this.makeFolder(path)
    } else if (after.kind === "file" && after.inPlace === true) {
      await this.writeInPlace(change.path, after)
    } else {
      await this.replace(change.path, after)
    }
  }

  /** Sets the final attributes of a folder, once nothing has to be written into it. */
  async finishFolder({ path, after }: Change): Promise<void> {
    if (after?.kind !== "folder") return
    const folder = join(this.applying.folder, path)
    await own(folder, after.owner)
    await chmod(folder, after.mode)
  }

  private async removeFolder(path: string): Promise<void> {
    await rmdir(path).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT") throw cause
    })
  }

  private async makeFolder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "EEXIST") throw cause
    })
    const { mode } = await lstat(path)
    if ((mode & 0o700) !== 0o700) await chmod(path, (mode & 0o7777) | 0o700)
  }

  private async writeInPlace(path: string, after: Outcome & { readonly kind: "file" }): Promise<void> {
    const target = join(this.applying.folder, path)
    await chmod(target, 0o600)
    const content = await readFile(join(this.applying.upper, path))
    const file = await open(target, constants.O_WRONLY | constants.O_NOFOLLOW)
    try {
      await file.writeFile(content)
      await file.truncate(content.length)
      await file.sync()
    } finally {
      await file.close()
    }
    await own(target, after.owner)
    await chmod(target, after.mode)
  }

  /** Creates the new file under a temporary name, then renames it. */
  private async replace(path: string, after: Exclude<Outcome, { kind: "folder" }>): Promise<void> {
    const target = join(this.applying.folder, path)
    const staged = join(dirname(target), `.stepline-${this.applying.tag}.tmp`)
    await unlink(staged).catch(() => {})
    try {
      await this.makeBeside(path, staged, after)
      await rename(staged, target)
    } finally {
      // A rename between two names of the same file does nothing, and keeps both.
      await unlink(staged).catch(() => {})
    }
  }

  private async makeBeside(
    path: string,
    staged: string,
    after: Exclude<Outcome, { kind: "folder" }>,
  ): Promise<void> {
    if (after.kind === "link") {
      await symlink(after.target, staged)
      await own(staged, after.owner)
      return
    }
    if (after.linkOf !== undefined) return link(join(this.applying.folder, after.linkOf), staged)
    await copyFile(
      join(this.applying.upper, path),
      staged,
      constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE,
    )
    await own(staged, after.owner)
    if (this.isSynced) await sync(staged)
    await chmod(staged, after.mode)
  }
}

/** Deletions first, then folders, files and links; hard links last. */
const orderOf = ({ after }: Change): number => {
  if (after === undefined) return 0
  if (after.kind === "folder") return 1
  return after.kind === "file" && after.linkOf !== undefined ? 3 : 2
}

const inOrder = (changes: ReadonlyArray<Change>): Array<Change> => {
  const groups: Array<Array<Change>> = [[], [], [], []]
  for (const change of changes) groups[orderOf(change)]!.push(change)
  return groups.flat()
}

/** Makes folders that lose entries writable first. */
const openFolders = async ({ folder, changes }: Applying): Promise<void> => {
  for (const { path, before } of changes) {
    if (before?.kind !== "folder") continue
    const info = await statOf(join(folder, path))
    if (info !== undefined && kindOf(info) === "folder") await chmod(join(folder, path), before.mode | 0o700)
  }
}

/**
 * @param again Whether a crash interrupted it before: finished changes are kept, and paths that somebody has changed since
 * are skipped.
 * @returns The skipped paths.
 */
export const applyChanges = async (applying: Applying, again = false): Promise<Array<string>> => {
  const applier = new Applier(applying)
  const left: Array<string> = []
  await openFolders(applying)
  for (const change of inOrder(applying.changes)) {
    if (again && (await isDone(applying, change)) && change.after?.kind !== "folder") continue
    if (again && !(await mayMake(applying, change))) left.push(change.path)
    else await applier.make(change)
  }
  // Deeper paths first: a folder without access permission hides them.
  for (const change of [...applying.changes].sort((a, b) => b.path.length - a.path.length)) {
    if (change.after !== undefined && !left.includes(change.path)) await applier.finishFolder(change)
  }
  return left
}

/** After a crash: whether a change can still be made, because its path is unchanged or only partly made. */
const mayMake = async ({ folder }: Applying, { path, before, after, replaces }: Change): Promise<boolean> => {
  const target = join(folder, path)
  const info = await statOf(target)
  if (info === undefined) return before === undefined || after === undefined
  if (after?.kind === "folder") return kindOf(info) === "folder"
  if (after?.kind === "file" && after.inPlace === true) return kindOf(info) === "file"
  if (before === undefined) return replaces !== true && after?.kind === "file" && after.linkOf !== undefined
  return isUnchanged(target, before, true)
}
