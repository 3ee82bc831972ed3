/**
 * Walks a folder and everything below it, without what `.gitignore` files ignore, in the order of names: first the entries
 * of a folder, then its subfolders. Links are not followed.
 */
import { join, relative } from "node:path"
import type { Files, FolderEntry } from "./files.ts"
import { IgnoreRules } from "./ignore-rules.ts"

export interface FolderWalk {
  /** The start folder; absolute, with every link resolved. */
  readonly folder: string
  /** Where the rules start if there is no repository and `folder` is below; absolute, with every link resolved. */
  readonly top: string
  /** Names of folders to skip. */
  readonly unwalked: ReadonlySet<string>
  /** Maximum depth in folders, including the first. Default: no limit. */
  readonly maxDepth?: number
  readonly signal?: AbortSignal | undefined
  /** Called for folders that cannot be read. */
  readonly passOver?: (path: string, reason: string) => void
}

export interface WalkedEntry {
  /** Relative to the start folder. */
  readonly path: string
  readonly kind: FolderEntry["kind"]
}

/** Throws the signal's reason on abort. */
export async function* walkFolder(files: Files, walk: FolderWalk): AsyncGenerator<WalkedEntry, void> {
  const { folder, top, unwalked, maxDepth = Number.POSITIVE_INFINITY, signal, passOver } = walk
  const start = await IgnoreRules.startingAt(files, folder, top)
  const open = [{ path: folder, rules: start, depth: 1 }]
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    signal?.throwIfAborted()
    const entries = await listed(files, here.path).catch((cause: Error) => {
      passOver?.(here.path, `cannot be read: ${cause.message}`)
      return []
    })
    const hasRules = entries.some(({ name, kind }) => name === ".gitignore" && kind === "file")
    const rules = hasRules ? await here.rules.within(here.path) : here.rules
    const folders: typeof open = []
    for (const { name, kind } of entries) {
      const isFolder = kind === "directory"
      const path = join(here.path, name)
      if ((isFolder && unwalked.has(name)) || rules.ignores(path, isFolder)) continue
      yield { path: relative(folder, path), kind }
      if (isFolder && here.depth < maxDepth) folders.push({ path, rules, depth: here.depth + 1 })
    }
    open.push(...folders.reverse())
  }
}

const listed = async (files: Files, path: string): Promise<ReadonlyArray<FolderEntry>> =>
  [...(await files.list(path))].sort((a, b) => (a.name < b.name ? -1 : 1))
