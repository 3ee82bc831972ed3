/**
 * Writes whole files so that nobody ever reads half of one: into a new file in the same folder, which then takes
 * the name. Paths are real ones: a link as the last part would itself be replaced.
 */
import { randomUUID } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { access, copyFile, type FileHandle, link, mkdir, open, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"

/** Runs `place` with a new, synced file that holds the content; afterwards the file is gone, or has its new name. */
const withStaged = async (
  path: string,
  content: Uint8Array,
  prepare: (file: FileHandle) => Promise<void>,
  place: (staged: string) => Promise<void>,
): Promise<void> => {
  const staged = join(dirname(path), `.stepline-${randomUUID()}.tmp`)
  const file = await open(staged, "wx")
  try {
    try {
      await prepare(file)
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await place(staged)
  } finally {
    await rm(staged, { force: true })
  }
}

const keepAttributes = async (file: FileHandle, { uid, gid, mode }: Stats): Promise<void> => {
  // Only root may give a file away. Then the mode, because a change of owner clears its special bits.
  await file.chown(uid, gid).catch(() => {})
  await file.chmod(mode & 0o7777)
}

const writeInPlace = async (path: string, content: Uint8Array): Promise<void> => {
  const file = await open(path, "r+")
  try {
    await file.writeFile(content)
    await file.truncate(content.length)
    await file.sync()
  } finally {
    await file.close()
  }
}

const hasReplaceableFolder = (path: string): Promise<boolean> =>
  access(dirname(path), constants.W_OK).then(
    () => true,
    () => false,
  )

/**
 * Replaces the content of an existing file; keeps its mode and, where allowed, its owner (extended attributes are lost).
 * A file with several hard links, or in a folder that takes no new files, is written in place, which is not atomic:
 * a rename would part the names, or fail.
 */
export const replaceFile = async (path: string, content: Uint8Array, signal?: AbortSignal): Promise<void> => {
  const before = await stat(path)
  signal?.throwIfAborted()
  if (before.nlink > 1 || !(await hasReplaceableFolder(path))) return writeInPlace(path, content)
  await withStaged(
    path,
    content,
    (file) => keepAttributes(file, before),
    async (staged) => {
      signal?.throwIfAborted()
      await rename(staged, path)
    },
  )
}

const makeFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true })
  } catch (cause) {
    const error = cause as NodeJS.ErrnoException
    // A file in the place of the folder: to the caller, `EEXIST` would mean that the file to make exists.
    if (error.code === "EEXIST") error.code = "ENOTDIR"
    throw error
  }
}

/** File systems that know no hard links. */
const linkless = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** Makes a file, with the folders that it needs; never touches one that exists, and then fails with `EEXIST`. */
export const createFile = async (path: string, content: Uint8Array, signal?: AbortSignal): Promise<void> => {
  await makeFolder(dirname(path))
  await withStaged(
    path,
    content,
    async () => {},
    async (staged) => {
      signal?.throwIfAborted()
      try {
        // Unlike a rename, a link never takes the place of a file.
        await link(staged, path)
      } catch (cause) {
        if (!linkless.has(String((cause as NodeJS.ErrnoException).code))) throw cause
        await copyFile(staged, path, constants.COPYFILE_EXCL)
      }
    },
  )
}
