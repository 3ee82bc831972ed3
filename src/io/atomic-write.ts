/**
 * Writes whole files so that nobody ever reads half of one: into a new file in the same folder, which is then renamed. Paths
 * have every link resolved. The folder is held open, so that nothing is written through a link that replaces it.
 */
import { randomUUID } from "node:crypto"
import { type BigIntStats, constants } from "node:fs"
import { access, copyFile, type FileHandle, link, lstat, open, rename, rm } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { haveAccessList, isKnownPlain, rememberPlain } from "./access-lists.ts"
import { staleError } from "./open-real.ts"
import { RealFolder } from "./real-folder.ts"
import { sweep } from "./sweep.ts"

const codeOf = (cause: unknown): string => String((cause as NodeJS.ErrnoException).code)

const failure = (code: string, message: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${message}`), { code })

const temporaryName = (): string => `.stepline-${randomUUID()}.tmp`

/** Runs `place` with a new, synced file that holds the content; afterwards the file is removed, unless `place` renamed it. */
const withStaged = async (
  folder: RealFolder,
  content: Uint8Array,
  mode: number,
  prepare: (file: FileHandle, staged: string) => Promise<void>,
  place: (staged: string) => Promise<void>,
): Promise<void> => {
  const staged = temporaryName()
  await folder.expectInPlace()
  const file = await open(folder.at(staged), "wx", mode)
  try {
    try {
      await prepare(file, staged)
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await folder.expectInPlace()
    await place(staged)
  } finally {
    await rm(folder.at(staged), { force: true })
  }
}

/** Returns false if this process is not allowed to give the new file the owner and group of the old one. */
const keepAttributes = async (file: FileHandle, before: BigIntStats): Promise<boolean> => {
  const { uid, gid } = await file.stat({ bigint: true })
  if (uid !== before.uid || gid !== before.gid) {
    try {
      await file.chown(Number(before.uid), Number(before.gid))
    } catch {
      return false
    }
  }
  // The mode comes second, because a change of owner clears its special bits.
  await file.chmod(Number(before.mode & 0o7777n))
  return true
}

/** Keeps all attributes of the file. If the write fails, the former content is restored. */
const writeInPlace = async (
  folder: RealFolder,
  name: string,
  before: BigIntStats,
  content: Uint8Array,
): Promise<void> => {
  const file = await open(folder.at(name), constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { ino, dev, nlink } = await file.stat({ bigint: true })
    if (ino !== before.ino || dev !== before.dev) throw staleError(folder.named(name))
    if (nlink > 1n) {
      throw failure("EMLINK", `${folder.named(name)} has other names, and can only be written with them`)
    }
    const former = await file.readFile()
    const write = async (bytes: Uint8Array) => {
      await writeAt(file, bytes)
      await file.truncate(bytes.length)
      await file.sync()
    }
    try {
      await write(content)
    } catch (cause) {
      await write(former)
      throw cause
    }
  } finally {
    await file.close()
  }
}

const writeAt = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten
  }
}

const takesNewFiles = (folder: RealFolder): Promise<boolean> =>
  // `/.`, because for a path that ends with a link, Deno would check the link.
  access(`${folder.at(".")}/.`, constants.W_OK).then(
    () => true,
    () => false,
  )

/** Error codes for a file that a rename cannot replace: in a sticky folder, a mount point, immutable. */
const unrenamable = new Set(["EPERM", "EACCES", "EBUSY"])

/** Renames the staged file to `name`, and links it to every other name of the file. */
const placeAt = async (
  folder: RealFolder,
  staged: string,
  name: string,
  others: ReadonlyArray<string>,
): Promise<void> => {
  for (const other of others) {
    await RealFolder.use(dirname(other), async (elsewhere) => {
      const second = temporaryName()
      await link(folder.at(staged), elsewhere.at(second))
      try {
        await rename(elsewhere.at(second), elsewhere.at(basename(other)))
      } finally {
        await rm(elsewhere.at(second), { force: true })
      }
    })
  }
  await rename(folder.at(staged), folder.at(name))
}

/** Thrown if a rename would change more than the content. */
class NotReplaceable extends Error {}

const replaceByRename = async (
  folder: RealFolder,
  name: string,
  before: BigIntStats,
  content: Uint8Array,
  others: ReadonlyArray<string>,
  signal: AbortSignal | undefined,
): Promise<void> => {
  const isPlain = isKnownPlain(before)
  let listed: Promise<boolean> | undefined
  // Until the file has its owner, nobody else may read its content.
  await withStaged(
    folder,
    content,
    0o600,
    async (file, staged) => {
      if (!(await keepAttributes(file, before))) throw new NotReplaceable()
      // The new file's list would come from its folder. The answer is awaited after the content is written.
      if (!isPlain) listed = haveAccessList(folder, [name, staged])
    },
    async (staged) => {
      if ((await listed) === true) throw new NotReplaceable()
      signal?.throwIfAborted()
      try {
        await placeAt(folder, staged, name, others)
      } catch (cause) {
        throw unrenamable.has(codeOf(cause)) ? new NotReplaceable(undefined, { cause }) : cause
      }
      const now = await lstat(folder.at(name), { bigint: true })
      rememberPlain(now)
    },
  )
}

/**
 * Replaces the content of an existing file; keeps its mode, owner, group and access control list (other extended attributes
 * are lost). `others` are further names of the file (hard links) that get the new content as well; names not listed keep the
 * former one. If a new file cannot take the name, or cannot have the same owner or list, the file is written in place, which
 * is not atomic; a file with other names is never written in place.
 */
export const replaceFile = (
  path: string,
  content: Uint8Array,
  signal?: AbortSignal,
  others: ReadonlyArray<string> = [],
): Promise<void> =>
  RealFolder.use(dirname(path), async (folder) => {
    const name = basename(path)
    const before = await lstat(folder.at(name), { bigint: true })
    if (before.isSymbolicLink()) throw staleError(path)
    if (!before.isFile()) throw failure("EFTYPE", `${path} is not a regular file`)
    signal?.throwIfAborted()
    if (!(await takesNewFiles(folder))) return writeInPlace(folder, name, before, content)
    await sweep(folder)
    try {
      await replaceByRename(folder, name, before, content, others, signal)
    } catch (cause) {
      if (!(cause instanceof NotReplaceable)) throw cause
      await writeInPlace(folder, name, before, content)
    }
  })

/** Error codes of file systems without hard links. */
const linkless = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** Turns `EEXIST` of a folder into `ENOTDIR`: to the caller, `EEXIST` means that the file exists. */
const inFolder = async (path: string, work: (folder: RealFolder) => Promise<void>): Promise<void> => {
  let isReady = false
  try {
    await RealFolder.make(path, (folder) => {
      isReady = true
      return work(folder)
    })
  } catch (cause) {
    if (!isReady && codeOf(cause) === "EEXIST") (cause as NodeJS.ErrnoException).code = "ENOTDIR"
    throw cause
  }
}

/** Creates a file and its missing folders. Never touches an existing file: rejects with `EEXIST`. */
export const createFile = (path: string, content: Uint8Array, signal?: AbortSignal): Promise<void> =>
  inFolder(dirname(path), async (folder) => {
    await sweep(folder)
    await withStaged(
      folder,
      content,
      0o666,
      async () => {},
      async (staged) => {
        signal?.throwIfAborted()
        const target = folder.at(basename(path))
        try {
          // Unlike a rename, a link never replaces a file.
          await link(folder.at(staged), target)
        } catch (cause) {
          if (!linkless.has(codeOf(cause))) throw cause
          await copyFile(folder.at(staged), target, constants.COPYFILE_EXCL)
        }
      },
    )
  })
