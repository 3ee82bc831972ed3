/** How handlers access files: a small interface, and its implementation for this machine. Errors are Node's, with their `code`. */
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

/** Information about a file or folder. */
export interface FileInfo {
  /** Links are `other`. */
  readonly kind: "file" | "directory" | "other"
  /** In bytes. */
  readonly size: number
  /** For a file with several names (hard links): its identity, and the number of its names. */
  readonly shared?: { readonly id: string; readonly names: number }
}

/** One entry of a folder. */
export interface FolderEntry {
  readonly name: string
  /** Links are `other`: a walk does not follow them. */
  readonly kind: "file" | "directory" | "other"
}

/**
 * All paths are absolute. Except for `resolveLinks` they have every link resolved, and links are never followed: if a link
 * has replaced a part of the path, nothing is read or written, and the call rejects with `ESTALE`.
 */
export interface Files {
  /** Resolves with undefined if nothing exists at the path. */
  stat(path: string): Promise<FileInfo | undefined>
  /** Lists the entries of a folder. */
  list(path: string): Promise<ReadonlyArray<FolderEntry>>
  /** Resolves every link in a path. Parts that do not exist are kept as written. */
  resolveLinks(path: string): Promise<string>
  /**
   * Streams a regular file's bytes; anything else fails with `EFTYPE`. A chunk is valid until the next one is requested.
   * Leaving the loop closes the file.
   */
  chunks(path: string): AsyncIterable<Uint8Array>
  /** Reads a regular file; rejects with `EFBIG` if it has more than `maxBytes`. Default: no limit. */
  read(path: string, maxBytes?: number): Promise<Uint8Array>
  isWritable(path: string): Promise<boolean>
  /**
   * Replaces the content of an existing file in one step; keeps its mode, its owner if possible, and its access list.
   * `others` are further names of the same file that get the new content too; its remaining names keep the former one.
   */
  replace(
    path: string,
    content: Uint8Array,
    signal?: AbortSignal,
    others?: ReadonlyArray<string>,
  ): Promise<void>
  /**
   * Runs `work` while no other process that uses this method can change the file. Rejects if that is not possible in time.
   * If it is missing, only calls of the same process wait for each other.
   */
  exclusively?<A>(
    path: string,
    work: (ensureHeld: EnsureHeld) => Promise<A>,
    signal?: AbortSignal,
  ): Promise<A>
  /** Called before several files are replaced one by one, so that the necessary lookups can be batched. Never rejects. */
  prepareReplace?(paths: ReadonlyArray<string>): Promise<void>
  /** Records changes, so that they can be undone. If it is missing, changes of these files cannot be undone. */
  readonly history?: FileHistory
  /**
   * Creates a file, and its missing folders, in one step. Rejects with `EEXIST` if the file exists, also if it has just
   * appeared.
   */
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
  // A dangling link has a target too: a file created through it would be created there.
  const target = await readlink(here).catch(() => undefined)
  return target === undefined ? here : resolveLinks(resolve(folder, target))
}

/** Opens a regular file for reading. */
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

/** Reads a file. One that grows meanwhile is read only up to the limit. */
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

/**
 * Stats a path through a handle that cannot read; on systems without such handles with `lstat`, and its folder must still
 * have no links afterwards.
 */
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
      // Deno checks the link of the handle itself, which nobody can write.
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

/** The files of this machine. */
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
