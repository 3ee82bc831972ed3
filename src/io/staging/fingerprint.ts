/** A fingerprint, to detect whether a file, a folder or a link has changed. */
import { type BigIntStats, lstatSync } from "node:fs"
import { lstat, readdir, readFile, readlink } from "node:fs/promises"

export type EntryKind = "file" | "folder" | "link" | "other"

export interface Fingerprint {
  readonly kind: EntryKind
  readonly mode: number
  readonly owner: string
  /** File system and inode. */
  readonly identity: string
  readonly size: string
  readonly modified: string
  /** The change time (ctime) in nanoseconds, which nobody can set. */
  readonly changed: string
  readonly names?: ReadonlyArray<string>
  /** Only for a file. */
  readonly hasOtherNames?: true
}

export const kindOf = (info: BigIntStats): EntryKind => {
  if (info.isFile()) return "file"
  if (info.isDirectory()) return "folder"
  return info.isSymbolicLink() ? "link" : "other"
}

const ifMissing = (cause: unknown): undefined => {
  const { code } = cause as NodeJS.ErrnoException
  if (code !== "ENOENT" && code !== "ENOTDIR") throw cause
}

export const statOf = (path: string): Promise<BigIntStats | undefined> =>
  lstat(path, { bigint: true }).catch(ifMissing)

/** For a path that this process has just used, which the system still knows: a wait for it would take ten times as long. */
export const statNow = (path: string): BigIntStats | undefined => {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (cause) {
    return ifMissing(cause)
  }
}

/** One of the two. */
export type Stat = typeof statOf | typeof statNow

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

/** Larger files are not compared by content, in bytes. */
const maxCompared = 64_000_000n

/** Whether two files of the given size have the same content; false if they are too large to read. */
export const hasSameContent = async (one: string, other: string, size: bigint): Promise<boolean> => {
  if (size > maxCompared) return false
  const [first, second] = await Promise.all([readFile(one), readFile(other)])
  return first.equals(second)
}

export const targetOf = (link: string): Promise<string> => readlink(link)

/** @param weakly Whether only its content counts: an interrupted apply to other names of a file changes the rest. */
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
