/** How handlers touch files: a small interface, and this machine's answer to it. Failures are Node's, with their `code`. */
import { type BigIntStats, constants } from "node:fs"
import { access, type FileHandle, lstat, readdir, readlink, realpath } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { createFile, replaceFile } from "./atomic-write.ts"
import type { EnsureHeld } from "./file-lock.ts"
import { withFileToItself } from "./file-to-itself.ts"
import { type FileHistory, localHistory } from "./history/file-history.ts"
import { asContent, asPath, handlePath, openReal, placeOf, staleError } from "./open-real.ts"
import { prepareReplace } from "./prepare-replace.ts"
import { RealFolder } from "./real-folder.ts"

/** What is told of a file or folder. */
export interface FileInfo {
  /** Links are `other`. */
  readonly kind: "file" | "directory" | "other"
  /** In bytes. */
  readonly size: number
  /** Of a file that has several names (hard links): what tells it from others, and how many names it has. */
  readonly shared?: { readonly id: string; readonly names: number }
}

/** One entry of a folder. */
export interface FolderEntry {
  readonly name: string
  /** Links are `other`: a walk does not follow them. */
  readonly kind: "file" | "directory" | "other"
}

/**
 * All paths are absolute. But for `resolveLinks` they are real, with every link resolved, and links are never followed: where
 * one has taken the place of a part of the path since, nothing is read or written, and the call fails with `ESTALE`.
 */
export interface Files {
  /** Undefined where there is nothing. */
  stat(path: string): Promise<FileInfo | undefined>
  /** What a folder holds. */
  list(path: string): Promise<ReadonlyArray<FolderEntry>>
  /** Where a path leads with every link resolved. Parts that do not exist stay as they are written. */
  resolveLinks(path: string): Promise<string>
  /**
   * A regular file's bytes in order; anything else fails with `EFTYPE`. A chunk is valid until the next one is asked for.
   * Leaving the loop closes the file.
   */
  chunks(path: string): AsyncIterable<Uint8Array>
  /** A regular file's bytes; fails with `EFBIG` past so many of them. Default: no limit. */
  read(path: string, maxBytes?: number): Promise<Uint8Array>
  isWritable(path: string): Promise<boolean>
  /**
   * Gives an existing file a new content in one step, keeping its mode, its owner where possible, and its access list.
   * `others` are further names of the same file that get the new content too; its remaining names keep the former one.
   */
  replace(
    path: string,
    content: Uint8Array,
    signal?: AbortSignal,
    others?: ReadonlyArray<string>,
  ): Promise<void>
  /**
   * Does the work while no other process that asks the same may change the file. Rejects where that cannot be had in time.
   * Where it is missing, calls of one process alone wait for each other.
   */
  exclusively?<A>(
    path: string,
    work: (ensureHeld: EnsureHeld) => Promise<A>,
    signal?: AbortSignal,
  ): Promise<A>
  /** Told of files that will be replaced one by one: what has to be asked for that can be asked at once. Never rejects. */
  prepareReplace?(paths: ReadonlyArray<string>): Promise<void>
  /** Remembers what is changed, so that it can be taken back. Where it is missing, nothing of these files can be. */
  readonly history?: FileHistory
  /** Makes a file, and its folders, in one step. Fails with `EEXIST` where there is one, also one that just appeared. */
  create(path: string, content: Uint8Array, signal?: AbortSignal): Promise<void>
}

const chunkBytes = 256 * 1024

const codeOf = (cause: unknown): unknown => (cause as { code?: unknown } | null)?.code

const isMissing = (cause: unknown): boolean => codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR"

const resolveLinks = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch (cause) {
    if (!isMissing(cause)) throw cause
  }
  const parent = dirname(path)
  if (parent === path) return path
  const folder = await resolveLinks(parent)
  const here = join(folder, basename(path))
  // A link to nothing leads somewhere too: a file made through it would be made there.
  const target = await readlink(here).catch(() => undefined)
  return target === undefined ? here : resolveLinks(resolve(folder, target))
}

/** Opens a regular file to be read. */
const openContent = async (path: string): Promise<FileHandle> => {
  const file = await openReal(path, asContent)
  try {
    if (!(await file.stat()).isFile()) throw notRegular(path)
    return file
  } catch (cause) {
    await file.close()
    throw cause
  }
}

const notRegular = (path: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`EFTYPE: ${path} is not a regular file`), { code: "EFTYPE", path })

async function* chunks(path: string): AsyncGenerator<Uint8Array, void> {
  const file = await openContent(path)
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, null)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** A file that grows while it is read is read no further than the limit. */
const read = async (path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Uint8Array> => {
  const pieces: Array<Buffer> = []
  let size = 0
  for await (const chunk of chunks(path)) {
    size += chunk.length
    if (size > maxBytes) {
      throw Object.assign(new Error(`EFBIG: ${path} has more than ${maxBytes} bytes`), {
        code: "EFBIG",
        path,
      })
    }
    pieces.push(Buffer.from(chunk))
  }
  return Buffer.concat(pieces, size)
}

const withHandle = async <A>(file: FileHandle, work: (file: FileHandle) => Promise<A>): Promise<A> => {
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

/** Where a file can only be looked at by opening it, its path is asked, and must be real afterwards. */
const lookAt = async (path: string): Promise<BigIntStats> => {
  if (asPath !== 0) return withHandle(await openReal(path, asPath), (file) => file.stat({ bigint: true }))
  const info = await lstat(path, { bigint: true })
  const folder = dirname(path)
  if ((await realpath(folder)) !== folder) throw staleError(path)
  return info
}

const kindOf = (info: Pick<BigIntStats, "isFile" | "isDirectory">): FileInfo["kind"] =>
  info.isFile() ? "file" : info.isDirectory() ? "directory" : "other"

const stat = async (path: string): Promise<FileInfo | undefined> => {
  try {
    const info = await lookAt(path)
    const isShared = info.isFile() && info.nlink > 1n
    return {
      kind: kindOf(info),
      size: Number(info.size),
      ...(isShared && { shared: { id: `${info.dev}:${info.ino}`, names: Number(info.nlink) } }),
    }
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

const list = (path: string): Promise<ReadonlyArray<FolderEntry>> =>
  RealFolder.use(path, async (folder) => {
    const entries = await readdir(folder.at("."), { withFileTypes: true })
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  })

const isWritable = async (path: string): Promise<boolean> => {
  const asked = (target: string) => access(target, constants.W_OK)
  try {
    if (asPath === 0) await asked(path)
    else {
      // Deno looks at the handle's own link, which is nobody's to write.
      await withHandle(await openReal(path, asPath), (file) =>
        asked(placeOf(file.fd) === undefined ? path : handlePath(file.fd)).catch(() => asked(path)),
      )
    }
    return true
  } catch (cause) {
    if (codeOf(cause) === "ESTALE") throw cause
    return false
  }
}

/** Files of this machine. */
export const localFiles: Files = {
  stat,
  list,
  resolveLinks,
  chunks,
  read,
  isWritable,
  replace: replaceFile,
  create: createFile,
  exclusively: withFileToItself,
  prepareReplace,
  history: localHistory,
}
