/** Surveys the writable folders for what would run outside of the sandbox later: git repositories, and settings. */
import type { Dirent } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { runsLater } from "./runs-later.ts"

export interface Survey {
  /**
   * Folders that git would accept as a repository, whatever their name: a `HEAD` beside a `config`, `objects` or `commondir`. And
   * those named `.git`: `git init` keeps the hooks and the settings that it finds in one.
   */
  readonly folders: ReadonlySet<string>
  /** Files and links named `.git`, which point to such a folder. */
  readonly pointers: ReadonlySet<string>
  /** In such a folder, files that send git elsewhere for its configuration or its operations. */
  readonly detours: ReadonlySet<string>
  /** In such a folder, ongoing rebases. */
  readonly rebases: ReadonlySet<string>
  /** Other files and folders that run something later. */
  readonly settings: ReadonlySet<string>
  /** Folders that could not be read. */
  readonly unseen: ReadonlyArray<string>
  /** Whether there were more folders than the limit. */
  readonly isPartial: boolean
}

export const maxFolders = 50_000
const width = 32

export const detourNames: ReadonlyArray<string> = ["commondir", "config.worktree"]
const rebaseName = "rebase-merge"

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code)

/** Whether a command could have made the folder unreadable: it runs as this user. */
const isOwn = async (folder: string): Promise<boolean> => {
  const info = await lstat(folder).catch(() => undefined)
  return info === undefined || info.uid === process.getuid?.()
}

/** Surveys the roots breadth first. Links are not followed. */
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
      // For example a path that is too long, or a mode without read permission.
      const isGone = ["ENOENT", "ENOTDIR"].includes(codeOf(error))
      if (!isGone && (await isOwn(folder))) unseen.push(folder)
      return []
    }
  }
  const look = async (folder: string): Promise<void> => {
    const entries = await entriesOf(folder)
    const names = new Set(entries.map(({ name }) => name))
    const isComplete = names.has("HEAD") && ["config", "objects", "commondir"].some((name) => names.has(name))
    if (isComplete || basename(folder).toLowerCase() === ".git") {
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

/** No folder of settings written by people has more entries. */
const maxMarked = 2000

/** A mark that differs after any change at a path; undefined if there are too many entries. */
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

/** Whether nothing at a path could run: there is at most an empty file or folder. */
export const isEmpty = async (path: string): Promise<boolean> => {
  const info = await lstat(path).catch(() => undefined)
  if (info === undefined) return true
  if (info.isDirectory()) return (await readdir(path).catch(() => [""])).length === 0
  return info.isFile() && info.size === 0
}
