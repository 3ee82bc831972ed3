/**
 * Former contents of files, each once, named by their hash: in a folder of the user's state that nobody else can enter. The oldest go
 * where there is too much of them; one that is kept again counts as new.
 */
import { createHash, randomUUID } from "node:crypto"
import { type FileHandle, open, readdir, rename, rm, stat, utimes } from "node:fs/promises"
import { join } from "node:path"
import { asContent, openReal } from "../open-real.ts"
import { privateFolder } from "../staging/stage-folders.ts"
import { stateFolder } from "../state-folder.ts"

export interface KeepBounds {
  readonly maxBytes: number
  /** In milliseconds. */
  readonly maxAge: number
}

const chunkBytes = 256 * 1024

/** Above this, all that is kept is looked through. What this process has added is counted; others add too. */
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

/** The hash of a file's content, for a name. */
export const hashOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  await readThrough(path, (chunk) => void hash.update(chunk))
  return hash.digest("hex")
}

const writeAll = async (file: FileHandle, chunk: Buffer): Promise<void> => {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
}

class KeptContent {
  private readonly folder: string
  /** Bytes that are there, as far as this process knows. */
  private bytes = 0
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

  /** Keeps what a file holds now, and gives its hash. Rejects, and keeps nothing of it, where there is no room. */
  async keep(path: string, bounds: KeepBounds): Promise<string> {
    const staged = join(this.folder, `${randomUUID()}.tmp`)
    const file = await open(staged, "wx", 0o600)
    try {
      const hash = createHash("sha256")
      let size = 0
      try {
        await readThrough(path, (chunk) => {
          hash.update(chunk)
          size += chunk.length
          return writeAll(file, chunk)
        })
      } finally {
        await file.close()
      }
      const name = hash.digest("hex")
      if (await this.has(name)) await utimes(this.pathOf(name), new Date(), new Date())
      else {
        await rename(staged, this.pathOf(name))
        this.bytes += size
      }
      if (this.bytes > bounds.maxBytes || Date.now() - this.sweptAt > sweepEvery) await this.sweep(bounds)
      return name
    } finally {
      await rm(staged, { force: true })
    }
  }

  /** Removes what is too old, and of too much the oldest. */
  private async sweep({ maxBytes, maxAge }: KeepBounds): Promise<void> {
    this.sweptAt = Date.now()
    const kept: Array<{ readonly path: string; readonly size: number; readonly at: number }> = []
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name)
      const info = await stat(path).catch(() => undefined)
      if (info?.isFile() === true) kept.push({ path, size: info.size, at: info.mtimeMs })
    }
    kept.sort((one, other) => other.at - one.at)
    const from = this.sweptAt - maxAge
    let bytes = 0
    for (const { path, size, at } of kept) {
      bytes += size
      if (bytes <= maxBytes && at >= from) continue
      bytes -= size
      await rm(path, { force: true })
    }
    this.bytes = bytes
  }
}

const opened = new Map<string, KeptContent>()

/** Rejects where there can be no such folder. */
export const keptContent = async (): Promise<KeptContent> => {
  const path = join(stateFolder(), "undo")
  const folder = await privateFolder(path)
  if (folder === undefined) throw new Error(`${path} cannot be written, or is not this user's`)
  const known = opened.get(folder) ?? new KeptContent(folder)
  opened.set(folder, known)
  return known
}
