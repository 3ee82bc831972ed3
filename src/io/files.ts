/** How handlers touch files: a small interface, and this machine's answer to it. Failures are Node's, with their `code`. */
import { constants } from "node:fs"
import { access, open, readdir, readFile, readlink, realpath, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { createFile, replaceFile } from "./atomic-write.ts"

export interface FileInfo {
  readonly kind: "file" | "directory" | "other"
  /** In bytes. */
  readonly size: number
}

export interface FolderEntry {
  readonly name: string
  /** Links are `other`: a walk does not follow them. */
  readonly kind: "file" | "directory" | "other"
}

/** All paths are absolute. */
export interface Files {
  /** Follows links. Undefined where there is nothing, also at the end of a link. */
  stat(path: string): Promise<FileInfo | undefined>
  /** What a folder holds. */
  list(path: string): Promise<ReadonlyArray<FolderEntry>>
  /** Where a path leads with every link resolved. Parts that do not exist stay as they are written. */
  resolveLinks(path: string): Promise<string>
  /** The file's bytes in order. A chunk is valid until the next one is asked for. Leaving the loop closes the file. */
  chunks(path: string): AsyncIterable<Uint8Array>
  read(path: string): Promise<Uint8Array>
  isWritable(path: string): Promise<boolean>
  /** Gives an existing file a new content in one step, keeping its mode, its owner where possible, and its names. */
  replace(path: string, content: Uint8Array, signal?: AbortSignal): Promise<void>
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

async function* chunks(path: string): AsyncGenerator<Uint8Array, void> {
  // Without O_NONBLOCK, opening a FIFO waits for somebody to write to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
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

/** Files of this machine. */
export const localFiles: Files = {
  stat: async (path) => {
    try {
      const info = await stat(path)
      return {
        kind: info.isFile() ? "file" : info.isDirectory() ? "directory" : "other",
        size: info.size,
      }
    } catch (cause) {
      if (isMissing(cause)) return undefined
      throw cause
    }
  },
  list: async (path) =>
    (await readdir(path, { withFileTypes: true })).map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other",
    })),
  resolveLinks,
  chunks,
  read: (path) => readFile(path),
  isWritable: (path) =>
    access(path, constants.W_OK).then(
      () => true,
      () => false,
    ),
  replace: replaceFile,
  create: createFile,
}
