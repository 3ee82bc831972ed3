/** Finds what git would take for a repository below some folders: by what is in it, since it may have any name. */
import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"

export interface GitFolders {
  /** Folders that hold a `HEAD` beside a `config`, `objects` or `commondir`. */
  readonly folders: ReadonlySet<string>
  /** Files and links named `.git`, which lead to such a folder. */
  readonly pointers: ReadonlySet<string>
  /** Files in such a folder that send git elsewhere for its configuration. */
  readonly detours: ReadonlySet<string>
  /** Whether there were more folders than are looked at. */
  readonly isPartial: boolean
}

const maxFolders = 50_000
const width = 32

const detourNames = ["commondir", "config.worktree"]

/** Links are not followed. */
export const findGitFolders = async (roots: ReadonlyArray<string>): Promise<GitFolders> => {
  const folders = new Set<string>()
  const pointers = new Set<string>()
  const detours = new Set<string>()
  let level = [...roots]
  let below: Array<string> = []
  let seen = 0
  const look = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch((): Array<Dirent> => [])
    const names = new Set(entries.map(({ name }) => name))
    if (names.has("HEAD") && ["config", "objects", "commondir"].some((name) => names.has(name))) {
      folders.add(folder)
      for (const name of detourNames) if (names.has(name)) detours.add(join(folder, name))
    }
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) below.push(path)
      else if (entry.name === ".git") pointers.add(path)
    }
  }
  // Those near the roots first.
  for (; level.length > 0 && seen < maxFolders; level = below) {
    below = []
    for (let start = 0; start < level.length && seen < maxFolders; start += width) {
      const batch = level.slice(start, start + width)
      seen += batch.length
      await Promise.all(batch.map(look))
    }
  }
  return { folders, pointers, detours, isPartial: seen >= maxFolders }
}
