/**
 * Opens what a path with every link resolved names, and nothing else: whoever puts a link in the place of one of its parts
 * gets nothing read or written through it. What was opened is looked at, not what was named: Linux tells where an open
 * file is, and gives every open folder a path. Elsewhere the path must still be real, and the same file, afterwards.
 */
import { constants, readlinkSync } from "node:fs"
import { type FileHandle, lstat, open, realpath } from "node:fs/promises"

/** Of Linux: a handle that can be looked at and gone through, but not read. For others the folder is opened to be read. */
const pathOnly = process.platform === "linux" ? 0o10000000 : 0
/** Of macOS: no link anywhere on the way. Older ones ignore it, which the look afterwards makes up for. */
const noLinks = process.platform === "darwin" ? 0x20000000 : (constants.O_NOFOLLOW ?? 0)

/** Flags to open a folder for the paths below it. */
export const asFolder = pathOnly | (constants.O_DIRECTORY ?? 0)
/** Flags to look at what there is, without a right to read it. */
export const asPath = pathOnly
/** Without O_NONBLOCK, opening a FIFO waits for somebody to write to it. */
export const asContent = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** The path that leads to an open file, and below an open folder, whatever its names mean by now. */
export const handlePath = (fd: number): string => `/proc/self/fd/${fd}`

/** Where an open file is. Undefined where the system does not tell. It comes from memory, so that nothing waits. */
export const placeOf = (fd: number): string | undefined => {
  if (process.platform !== "linux") return undefined
  try {
    return readlinkSync(handlePath(fd))
  } catch {
    return undefined
  }
}

const codeOf = (cause: unknown): unknown => (cause as NodeJS.ErrnoException).code

/** The failure where a path does not lead any more to where it led. */
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

/** What `open` says of a link, where it shall not follow one, it also says of other things. */
const linkError = async (cause: unknown, where: string, path: string): Promise<unknown> => {
  if (codeOf(cause) === "ELOOP") return staleError(path, cause)
  return codeOf(cause) === "ENOTDIR" && (await isLink(where)) ? staleError(path, cause) : cause
}

/**
 * From the root, each folder through the handle of the one above: right also where a file system knows a folder by other
 * letters than its path has, and where something moved between the opening and the look.
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

/** Where the system does not tell where an open file is. */
const expectSame = async (file: FileHandle, path: string): Promise<void> => {
  const [real, named, opened] = await Promise.all([
    realpath(path).catch(() => undefined),
    lstat(path, { bigint: true }).catch(() => undefined),
    file.stat({ bigint: true }),
  ])
  if (real !== path || named?.ino !== opened.ino || named.dev !== opened.dev) throw staleError(path)
}

/** Rejects with `ESTALE` where an open file is not at a path, and cannot be opened there now. */
const expectAt = async (file: FileHandle, path: string): Promise<"here" | "unclear"> => {
  const place = placeOf(file.fd)
  if (place === undefined) {
    await expectSame(file, path)
    return "here"
  }
  // A file that was replaced since it was opened is still what the path named.
  return place === path || place === `${path} (deleted)` ? "here" : "unclear"
}

/**
 * Opens an existing file or folder; `flags` must not create one. `path` is absolute, with every link resolved. Rejects with
 * `ESTALE` where there is a link on its way. A link as its last part can be looked at with `asPath` alone.
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
