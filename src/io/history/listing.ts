/** Lists a folder, so that changes can be found by comparing two listings. Reads no content. */
import type { BigIntStats } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { statOf } from "../staging/fingerprint.ts"
import { type HashOf, type PathState, stateOf } from "./path-state.ts"

/** A path in a listing. */
export interface Listed {
  /** For a file, all but the hash of its content. */
  readonly state: PathState
  /** Differs when the content of the path has changed. */
  readonly print: string
  readonly size: number
}

/** A folder with more paths is not listed: that would take seconds. */
const maxPaths = 50_000

const unread: HashOf = async () => ({ hash: "unread", lost: "is not known: a command changed it" })

const listed = async (path: string, info: BigIntStats): Promise<Listed> => {
  const state = await stateOf(path, info, unread)
  const { kind } = state
  return {
    state,
    print: kind === "folder" ? kind : `${kind} ${info.ino} ${info.size} ${info.mtimeNs}`,
    size: kind === "file" ? Number(info.size) : 0,
  }
}

/**
 * All paths below a folder, except those of `.git`: undo never touches a repository. Links are not followed, and what cannot be read is
 * left out. Undefined if there are more than 50,000.
 */
export const listFolder = async (folder: string): Promise<ReadonlyMap<string, Listed> | undefined> => {
  const found = new Map<string, Listed>()
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const names = (await readdir(next).catch(() => [])).filter((name) => name !== ".git")
    if (found.size + names.length > maxPaths) return undefined
    const paths = names.map((name) => join(next!, name))
    const infos = await Promise.all(paths.map((path) => statOf(path).catch(() => undefined)))
    for (const [index, info] of infos.entries()) {
      if (info === undefined) continue
      const path = paths[index]!
      const entry = await listed(path, info).catch(() => undefined)
      if (entry !== undefined) found.set(path, entry)
      if (info.isDirectory()) folders.push(path)
    }
  }
  return found
}
