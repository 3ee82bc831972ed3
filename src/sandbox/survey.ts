/** Looks through the folders that may be written for what would run outside of the box later: repositories of git, and settings. */
import type { Dirent } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { runsLater } from "./runs-later.ts"

export interface Survey {
  /** What git would take for a repository, whatever its name: a `HEAD` beside a `config`, `objects` or `commondir`. */
  readonly folders: ReadonlySet<string>
  /** Files and links named `.git`, which lead to such a folder. */
  readonly pointers: ReadonlySet<string>
  /** In such a folder, what sends git elsewhere for its configuration, or for what it does. */
  readonly detours: ReadonlySet<string>
  /** In such a folder, rebases that are under way. */
  readonly rebases: ReadonlySet<string>
  /** Other files and folders that run something later. */
  readonly settings: ReadonlySet<string>
  /** Folders that could not be looked into. */
  readonly unseen: ReadonlyArray<string>
  /** Whether there were more folders than are looked at. */
  readonly isPartial: boolean
}

export const maxFolders = 50_000
const width = 32

const detourNames = ["commondir", "config.worktree"]
const rebaseName = "rebase-merge"

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code)

/** Whether a command could have made a folder what it is: it runs as this user. */
const isOwn = async (folder: string): Promise<boolean> => {
  const info = await lstat(folder).catch(() => undefined)
  return info === undefined || info.uid === process.getuid?.()
}

/** Links are not followed. Those near the roots come first. */
export const surveyFolders = async (roots: ReadonlyArray<string>): Promise<Survey> => {
  const folders = new Set<string>()
  const pointers = new Set<string>()
  const detours = new Set<string>()
  const rebases = new Set<string>()
  const settings = new Set<string>()
  const unseen: Array<string> = []
  const queue = [...roots]
  const entriesOf = async (folder: string): Promise<Array<Dirent>> => {
    try {
      return await readdir(folder, { withFileTypes: true })
    } catch (error) {
      // Such as a path that is too long, or a mode that hides what is in it.
      const isGone = ["ENOENT", "ENOTDIR"].includes(codeOf(error))
      if (!isGone && (await isOwn(folder))) unseen.push(folder)
      return []
    }
  }
  const look = async (folder: string): Promise<void> => {
    const entries = await entriesOf(folder)
    const names = new Set(entries.map(({ name }) => name))
    if (names.has("HEAD") && ["config", "objects", "commondir"].some((name) => names.has(name))) {
      folders.add(folder)
      for (const name of detourNames) if (names.has(name)) detours.add(join(folder, name))
    }
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (queue.length <= maxFolders) queue.push(path)
        if (entry.name === rebaseName && folders.has(folder)) rebases.add(path)
      } else if (entry.name === ".git") pointers.add(path)
      else if (entry.name === rebaseName && folders.has(folder)) detours.add(path)
      if (runsLater(path)) settings.add(path)
    }
  }
  for (let seen = 0; seen < Math.min(queue.length, maxFolders); ) {
    const batch = queue.slice(seen, Math.min(seen + width, maxFolders))
    seen += batch.length
    await Promise.all(batch.map(look))
  }
  return { folders, pointers, detours, rebases, settings, unseen, isPartial: queue.length > maxFolders }
}

/** More entries are none that a person wrote. */
const maxMarked = 2000

/** What changes with whatever is changed at a path: undefined for what is too much to tell. */
export const markOf = async (path: string): Promise<string | undefined> => {
  const marks: Array<string> = []
  const mark = async (at: string): Promise<void> => {
    if (marks.length > maxMarked) return
    const info = await lstat(at, { bigint: true }).catch(() => undefined)
    marks.push(`${basename(at)} ${info?.dev}:${info?.ino}:${info?.size}:${info?.mtimeNs}:${info?.ctimeNs}`)
    if (info?.isDirectory() !== true) return
    for (const name of (await readdir(at).catch(() => [])).sort()) await mark(join(at, name))
  }
  await mark(path)
  return marks.length > maxMarked ? undefined : `${dirname(path)}\n${marks.join("\n")}`
}

/** Whether there is nothing at a path that could run: no more than an empty file or folder. */
export const isEmpty = async (path: string): Promise<boolean> => {
  const info = await lstat(path).catch(() => undefined)
  if (info === undefined) return true
  if (info.isDirectory()) return (await readdir(path).catch(() => [""])).length === 0
  return info.isFile() && info.size === 0
}
