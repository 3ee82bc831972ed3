/**
 * Opens exactly the file that a path with every link resolved names: nothing is read or written through a link that replaces
 * a part of the path. The check is made on the opened file, not the path: Linux reports where an open file is, and gives
 * every open folder a path. Elsewhere the path must still have no links, and be the same file, afterwards.
 */
import { constants, readlinkSync } from "node:fs"
import { type FileHandle, lstat, open, realpath } from "node:fs/promises"

/** O_PATH on Linux: a handle for stat and path lookup, but not for reading. Elsewhere the folder is opened for reading. */
const pathOnly = process.platform === "linux" ? 0o10000000 : 0
/** O_NOFOLLOW_ANY on macOS: no link anywhere on the path. Older versions ignore it; the check afterwards covers them. */
const noLinks = process.platform === "darwin" ? 0x20000000 : (constants.O_NOFOLLOW ?? 0)

/** Flags to open a folder for the paths below it. */
export const asFolder = pathOnly | (constants.O_DIRECTORY ?? 0)
/** Flags to stat a path without the permission to read it. */
export const asPath = pathOnly
/** Flags to read. Without O_NONBLOCK, opening a FIFO waits for a writer. */
export const asContent = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** A path to an open file, or below an open folder, independent of its current name. */
export const handlePath = (fd: number): string => `/proc/self/fd/${fd}`

/**
 * The current path of an open file; undefined if the system does not report it. Synchronous, since the kernel answers from
 * memory.
 */
export const placeOf = (fd: number): string | undefined => {
  if (process.platform !== "linux") return undefined
  try {
    return readlinkSync(handlePath(fd))
  } catch {
    return undefined
  }
}

const codeOf = (cause: unknown): unknown => (cause as NodeJS.ErrnoException).code

/** The error for a path that no longer leads to the same place. */
export const staleError = (path: string, cause?: unknown): NodeJS.ErrnoException =>
  Object.assign(new Error(`ESTALE: ${path} was moved, or a part of it replaced by a link`, { cause }), {
    code: "ESTALE",
    path,
  })

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (info) => info.isSymbolicLink(),
    () => false,
  )

/** Turns the error of `open` for a link into `ESTALE`; ENOTDIR can have other causes, so the path is checked. */
const linkError = async (cause: unknown, where: string, path: string): Promise<unknown> => {
  if (codeOf(cause) === "ELOOP") return staleError(path, cause)
  return codeOf(cause) === "ENOTDIR" && (await isLink(where)) ? staleError(path, cause) : cause
}

/**
 * Opens each folder from the root through the handle of its parent: correct also if a file system spells a folder
 * differently than the path, and if something moved between opening and checking.
 */
const openStepwise = async (path: string, flags: number): Promise<FileHandle> => {
  const parts = path.split("/").filter((part) => part !== "")
  const name = parts.pop()
  let folder = await open("/", asFolder)
  try {
    if (name === undefined) return await open(handlePath(folder.fd), flags)
    for (const part of parts) {
      const next = await openBelow(folder, part, asFolder, path)
      await folder.close()
      folder = next
    }
    return await openBelow(folder, name, flags, path)
  } finally {
    await folder.close()
  }
}

const openBelow = async (
  folder: FileHandle,
  name: string,
  flags: number,
  path: string,
): Promise<FileHandle> => {
  const where = `${handlePath(folder.fd)}/${name}`
  try {
    return await open(where, flags | constants.O_NOFOLLOW)
  } catch (cause) {
    throw await linkError(cause, where, path)
  }
}

/** The check for systems that do not report where an open file is. */
const expectSame = async (file: FileHandle, path: string): Promise<void> => {
  const [real, named, opened] = await Promise.all([
    realpath(path).catch(() => undefined),
    lstat(path, { bigint: true }).catch(() => undefined),
    file.stat({ bigint: true }),
  ])
  if (real !== path || named?.ino !== opened.ino || named.dev !== opened.dev) throw staleError(path)
}

/** Checks that an open file is at a path. Rejects with `ESTALE` if it is not, and cannot be opened there now. */
const expectAt = async (file: FileHandle, path: string): Promise<"here" | "unclear"> => {
  const place = placeOf(file.fd)
  if (place === undefined) {
    await expectSame(file, path)
    return "here"
  }
  // A file that was replaced after opening is still the one that the path named.
  return place === path || place === `${path} (deleted)` ? "here" : "unclear"
}

/**
 * Opens an existing file or folder; `flags` must not create one. `path` is absolute, with every link resolved. Rejects with
 * `ESTALE` if the path contains a link; only with `asPath` can its last part be one.
 */
export const openReal = async (path: string, flags: number): Promise<FileHandle> => {
  let file: FileHandle
  try {
    file = await open(path, flags | noLinks)
  } catch (cause) {
    if (codeOf(cause) !== "ELOOP" && codeOf(cause) !== "ENOTDIR") throw cause
    throw await linkError(cause, path, path)
  }
  try {
    if ((await expectAt(file, path)) === "here") return file
  } catch (cause) {
    await file.close()
    throw cause
  }
  await file.close()
  return openStepwise(path, flags)
}
