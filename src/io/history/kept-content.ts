/**
 * Former contents of files, each stored once under its hash, in a private folder of the user's state folder. The oldest are deleted when
 * there is too much; a content that is stored again counts as new.
 */
import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, open, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { asContent, openReal } from "../open-real.ts"
import { privateFolder } from "../private-folder.ts"
import { stateFolder } from "../state-folder.ts"

/** How much is stored, and for how long. */
export interface KeepBounds {
  readonly maxBytes: number
  /** In milliseconds. */
  readonly maxAge: number
}

const chunkBytes = 256 * 1024

/** How often the folder is swept, in milliseconds. In between, a process counts only the bytes that it adds itself. */
const sweepEvery = 60 * 60 * 1000

/** Reads a regular file in order. `path` is real. */
const readThrough = async (
  path: string,
  take: (chunk: Buffer) => Promise<void> | undefined,
): Promise<void> => {
  const file = await openReal(path, asContent)
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, null)
      if (bytesRead === 0) return
      await take(buffer.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** The hash of a file's content. */
export const hashOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  await readThrough(path, (chunk) => void hash.update(chunk))
  return hash.digest("hex")
}

export const hashOfBytes = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

const writeAll = async (file: FileHandle, chunk: Buffer): Promise<void> => {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
}

/** The files of a folder, the newest first. */
export const newestFirst = async (
  folder: string,
): Promise<Array<{ readonly path: string; readonly size: number; readonly at: number }>> => {
  const files = []
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const info = await stat(path).catch(() => undefined)
    if (info?.isFile() === true) files.push({ path, size: info.size, at: info.mtimeMs })
  }
  return files.sort((one, other) => other.at - one.at)
}

class KeptContent {
  private readonly folder: string
  /** The stored bytes, as far as this process knows. */
  private bytes = 0
  private sweeping: Promise<void> | undefined
  private sweptAt = Number.NEGATIVE_INFINITY

  constructor(folder: string) {
    this.folder = folder
  }

  pathOf(hash: string): string {
    return join(this.folder, hash)
  }

  async has(hash: string): Promise<boolean> {
    return stat(this.pathOf(hash)).then(
      () => true,
      () => false,
    )
  }

  /** Stores a file's content, and returns its hash. Rejects, and stores nothing, if the disk is full. */
  async keep(path: string, bounds: KeepBounds): Promise<string> {
    const staged = this.newName()
    const file = await open(staged, "wx", 0o600)
    const hash = createHash("sha256")
    let size = 0
    try {
      try {
        await readThrough(path, (chunk) => {
          hash.update(chunk)
          size += chunk.length
          return writeAll(file, chunk)
        })
      } finally {
        await file.close()
      }
      return await this.place(staged, hash.digest("hex"), size, bounds)
    } catch (cause) {
      await rm(staged, { force: true })
      throw cause
    }
  }

  /** Stores a content, and returns its hash. */
  async keepBytes(content: Uint8Array, bounds: KeepBounds): Promise<string> {
    const name = hashOfBytes(content)
    if (await this.renew(name)) return name
    const staged = this.newName()
    try {
      await writeFile(staged, content, { flag: "wx", mode: 0o600 })
      return await this.place(staged, name, content.length, bounds)
    } catch (cause) {
      await rm(staged, { force: true })
      throw cause
    }
  }

  private newName(): string {
    return join(this.folder, `${randomUUID()}.tmp`)
  }

  /** Marks a stored content as new. Returns false if it is not stored. */
  private async renew(name: string): Promise<boolean> {
    const now = new Date()
    return utimes(this.pathOf(name), now, now).then(
      () => true,
      () => false,
    )
  }

  private async place(staged: string, name: string, size: number, bounds: KeepBounds): Promise<string> {
    await rename(staged, this.pathOf(name))
    this.bytes += size
    const isFull = this.bytes > bounds.maxBytes
    if (isFull || Date.now() - this.sweptAt > sweepEvery) {
      this.sweeping ??= this.sweep(bounds).finally(() => {
        this.sweeping = undefined
      })
      // Wait only if the folder is over its bound.
      if (isFull) await this.sweeping
      else this.sweeping.catch(() => {})
    }
    return name
  }

  /** Deletes contents that are too old and, above the bound, the oldest. */
  private async sweep({ maxBytes, maxAge }: KeepBounds): Promise<void> {
    this.sweptAt = Date.now()
    const kept = await newestFirst(this.folder)
    const from = this.sweptAt - maxAge
    const all = kept.reduce((sum, { size }) => sum + size, 0)
    // Down to 90 %, so that not every file causes a sweep.
    const most = all > maxBytes ? maxBytes * 0.9 : maxBytes
    let bytes = 0
    for (const { path, size, at } of kept) {
      bytes += size
      if ((bytes <= most || bytes === size) && at >= from) continue
      bytes -= size
      await rm(path, { force: true })
    }
    this.bytes = bytes
  }
}

const opened = new Map<string, KeptContent>()

/** The store of this user. Rejects if its folder cannot be made. */
export const keptContent = async (): Promise<KeptContent> => {
  const path = join(stateFolder(), "undo")
  const folder = await privateFolder(path)
  if (folder === undefined) throw new Error(`${path} cannot be written, or is not this user's`)
  const known = opened.get(folder) ?? new KeptContent(folder)
  opened.set(folder, known)
  return known
}
