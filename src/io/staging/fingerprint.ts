/** What tells whether a file, a folder or a link is still what it was. */
import type { BigIntStats } from "node:fs"
import { lstat, readdir, readFile, readlink } from "node:fs/promises"

export type EntryKind = "file" | "folder" | "link" | "other"

export interface Fingerprint {
  readonly kind: EntryKind
  readonly mode: number
  readonly owner: string
  /** Of the file system and the inode. */
  readonly identity: string
  readonly size: string
  readonly modified: string
  /** When anything about it was changed, in nanoseconds; nobody can set it. */
  readonly changed: string
  readonly names?: ReadonlyArray<string>
  /** Of a file. */
  readonly hasOtherNames?: true
}

export const kindOf = (info: BigIntStats): EntryKind => {
  if (info.isFile()) return "file"
  if (info.isDirectory()) return "folder"
  return info.isSymbolicLink() ? "link" : "other"
}

export const statOf = async (path: string): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(path, { bigint: true })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return undefined
    throw cause
  }
}

export const modeOf = (info: BigIntStats): number => Number(info.mode & 0o7777n)

export const ownerOf = (info: BigIntStats): string => `${info.uid}:${info.gid}`

export const fingerprintOf = (info: BigIntStats, names?: ReadonlyArray<string>): Fingerprint => ({
  kind: kindOf(info),
  mode: modeOf(info),
  owner: ownerOf(info),
  identity: `${info.dev}:${info.ino}`,
  size: String(info.size),
  modified: String(info.mtimeNs),
  changed: String(info.ctimeNs),
  ...(names !== undefined && { names }),
  ...(info.isFile() && info.nlink > 1n && { hasOtherNames: true as const }),
})

export const namesIn = async (folder: string): Promise<Array<string>> => (await readdir(folder)).sort()

/** Bytes up to which the content of two files is compared. */
const maxCompared = 64_000_000n

/** Whether two files of that size have the same content; false where that is too long to be read. */
export const hasSameContent = async (one: string, other: string, size: bigint): Promise<boolean> => {
  if (size > maxCompared) return false
  const [first, second] = await Promise.all([readFile(one), readFile(other)])
  return first.equals(second)
}

export const targetOf = (link: string): Promise<string> => readlink(link)

/**
 * @param weakly Whether only its content counts: what an interrupted apply has done to other names of a file shows in
 * the rest.
 */
export const isUnchanged = async (path: string, before: Fingerprint, weakly = false): Promise<boolean> => {
  const info = await statOf(path)
  if (info === undefined) return false
  const now = fingerprintOf(info)
  if (now.kind !== before.kind || now.identity !== before.identity) return false
  if (before.kind === "folder") {
    if (weakly) return true
    if (now.mode !== before.mode) return false
    return before.names === undefined || (await namesIn(path)).join("\0") === before.names.join("\0")
  }
  if (now.size !== before.size || now.modified !== before.modified) return false
  return weakly || now.changed === before.changed
}
